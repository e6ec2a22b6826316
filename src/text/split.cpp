// split(): several readers of one file, each for a part of it.
#include <leat/split.hpp>

#include <new>
#include <utility>

#include "base/last_error.hpp"
#include "opening/parts.hpp"
#include "stream/open_with.hpp"

namespace leat {
inline namespace v0 {

std::vector<file_reader> split(path_ref path, std::size_t parts, const split_options& how,
                               std::error_code& ec) try {
  ec.clear();
  options each(how);
  each.pattern = pattern::sequential;
  std::vector<file_reader> all;
  for (auto& part : open_parts(path, parts, how.delimiter, each, ec))
    all.push_back(detail::opening::make<file_reader>(std::move(part), each, path.view()));
  static_cast<void>(set_last_error({ec, "open"}, path.view()));
  return all;
} catch (const std::bad_alloc&) {
  ec = set_last_error({std::make_error_code(std::errc::not_enough_memory), "open"}, path.view());
  return {};
}

std::vector<file_reader> split(path_ref path, std::size_t parts, const split_options& how) {
  std::error_code ec;
  auto all = split(path, parts, how, ec);
  if (ec) throw io_error({ec, "open"}, path.view());
  return all;
}

std::vector<file_reader> split(path_ref path, std::size_t parts, std::error_code& ec) {
  return split(path, parts, {}, ec);
}

}  // namespace v0
}  // namespace leat
