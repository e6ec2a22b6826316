// Copies one file of `leat cp`. cp.cpp calls copy_one() from several threads.
#include "classics/copying.hpp"

#include <leat/leat.hpp>

#include <algorithm>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <system_error>

#include "system/path_text.hpp"

namespace bench {

namespace {

namespace fs = std::filesystem;

std::string error_message(const char* action, const std::string& name, std::error_code why) {
  return leat::format("{} '{}': {}", action, name, why.message());
}

/// Returns the size of the target; 0 if there is no target. Throws std::runtime_error if the target
/// is an object, cannot be opened, or is longer than the source, or if the last MiB of the target
/// differs from the source at the same position. If a read fails, throws io_error.
std::uint64_t resume_position(leat::reader& in, const std::string& to) {
  if (is_address(to))
    throw std::runtime_error(
        leat::format("cannot continue '{}': an upload to object storage always starts again", to));
  std::error_code ec;
  auto old = leat::open(to, ec);
  if (ec == std::errc::no_such_file_or_directory) return 0;
  if (ec) throw std::runtime_error(error_message("cannot open", to, ec));
  const auto size = old.size();
  const auto compared = std::min<std::uint64_t>(size, std::uint64_t{1} << 20);
  std::string target_end(compared, '\0'), source_bytes(compared, '\0');
  old.seek(size - compared);
  old.read_exactly(target_end);
  in.seek(size - compared);
  if (size > in.size() || in.read(std::span(source_bytes)) != compared ||
      target_end != source_bytes)
    throw std::runtime_error(
        leat::format("cannot continue '{}': it is not the beginning of the source", to));
  return size;
}

/// Throws std::runtime_error if the copy would destroy its source or cannot be made.
void require_copyable(const std::string& from, const std::string& to) {
  if (to.empty())
    throw std::runtime_error(leat::format("'{}' has no name; give the name of the target", from));
  std::error_code ec;
  if (!is_address(to) && fs::is_symlink(fs::symlink_status(path_from_utf8(to), ec)) &&
      !fs::exists(path_from_utf8(to), ec))
    throw std::runtime_error(leat::format("not writing through dangling symlink '{}'", to));
  if (!is_address(from)) {
    const auto kind = fs::status(path_from_utf8(from), ec);
    if (!fs::exists(kind)) throw std::runtime_error(error_message("cannot stat", from, ec));
    if (fs::is_directory(kind))
      throw std::runtime_error(leat::format("-r not specified; omitting directory '{}'", from));
  }
  if (is_same_file(from, to))
    throw std::runtime_error(leat::format("'{}' and '{}' are the same file", from, to));
}

unsigned permissions_of(const std::string& from) {
  std::error_code ec;
  const auto bits = fs::status(path_from_utf8(from), ec).permissions() & fs::perms::all;
  return ec || is_address(from) ? 0666U : static_cast<unsigned>(bits) & 0777U;
}

}  // namespace

std::uint64_t copy_one(const planned_copy& planned, const copy_options& options,
                       transfer_line& line) {
  const auto& [from, to, is_new] = planned;
  require_copyable(from, to);
  std::error_code ec;
  auto in = leat::open(from, ec);
  if (ec)
    throw std::runtime_error(leat::format("cannot open '{}' for reading: {}", from, ec.message()));
  const auto start = options.resume ? resume_position(in, to) : 0;
  in.seek(start);
  static_cast<void>(in.window(ec));  // an unreadable source must not destroy the target
  if (ec) throw std::runtime_error(error_message("error reading", from, ec));
  // Creates a new file exclusively: if the file system ignores case, another copy may have made a
  // file with this name.
  auto out = start != 0 ? leat::append(to, ec)
                        : leat::create(to,
                                       {.exclusive = options.keep_existing || is_new,
                                        .permissions = permissions_of(from)},
                                       ec);
  if (ec == std::errc::file_exists && options.keep_existing) return 0;
  if (ec == std::errc::file_exists && is_new)
    throw std::runtime_error(
        leat::format("will not overwrite just-created '{}' with '{}'", to, from));
  if (ec) throw std::runtime_error(error_message("cannot create regular file", to, ec));
  std::uint64_t before = 0;
  try {
    const auto bytes = leat::copy(in, out, [&](std::uint64_t done) {
      line.add(done - before);
      before = done;
    });
    out.close();
    return bytes;
  } catch (...) {
    out.discard();  // a target in object storage stays unchanged
    throw;
  }
}

}  // namespace bench
