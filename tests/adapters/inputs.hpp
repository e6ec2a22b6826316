// Common inputs of the tests of adapters: a text in every kind of reader, and readers and
// writers that fail.
#pragma once

#include <gtest/gtest.h>
#include <leat/file_stream.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "support/readers.hpp"
#include "support/scripted_device.hpp"

namespace leat_test {

/// Calls function(leat::reader&), or function(leat::reader&, reader_kind), with the text in every
/// kind of reader and with each of buffer_sizes.
template <class Function>
void in_every_reader(std::string_view text, const Function& function) {
  unsigned seed = 1;
  for (const reader_kind kind : reader_kinds) {
    for (const std::size_t size : buffer_sizes) {
      SCOPED_TRACE(testing::Message() << kind << ", a buffer of " << size);
      test_reader opened(kind, std::string(text), size, seed++);
      if constexpr (std::is_invocable_v<Function, leat::reader&>)
        function(opened.get());
      else
        function(opened.get(), kind);
    }
  }
}

/// A reader that fails with std::errc::io_error after the text.
inline leat::file_reader reader_failing_after(std::string_view text) {
  const auto script = new_script();
  script->content = std::string(text) + "never read";
  script->read_limit = text.size();
  return leat::file_reader(device_of(script), {}, "failing");
}

/// A writer whose device is full after `room` bytes.
inline leat::file_writer writer_full_after(std::uint64_t room, std::size_t buffer_size = 0) {
  const auto script = new_script();
  script->room = room;
  return leat::file_writer(device_of(script), {.buffer_size = buffer_size}, "full");
}

}  // namespace leat_test
