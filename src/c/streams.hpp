// The streams of leat.h that are those of C++.
#pragma once

#include <leat/leat.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <concepts>
#include <memory>
#include <stop_token>
#include <utility>
#include <variant>

struct leat_reader {
  /// The lines of a reader, one after the other.
  struct lines_of {
    lines_of(leat::reader& in, const leat::line_options& options)
        : how(options), range(in.lines(options)) {}
    leat::line_options how;
    leat::line_range range;
    leat::line_range::iterator at;
    bool begun = false;
  };
  struct lines_before {
    lines_before(leat::reader& in, const leat::line_options& options)
        : how(options), range(in.lines_backwards(options)) {}
    leat::line_options how;
    leat::backward_line_range range;
    leat::backward_line_range::iterator at;
    bool begun = false;
  };

  /// Its rows.
  struct rows_of {
    rows_of(leat::reader& in, const leat::row_options& options)
        : how(options), range(in.rows(options)) {}
    leat::row_options how;
    leat::row_range range;
    leat::row_range::iterator at;
    bool begun = false;
  };

  template <std::derived_from<leat::reader> Stream>
  explicit leat_reader(Stream stream)
      : own(std::in_place_type<Stream>, std::move(stream)), in(&std::get<Stream>(own)) {}
  explicit leat_reader(leat::reader* standard) : in(standard) {}
  leat_reader(const leat_reader&) = delete;
  leat_reader& operator=(const leat_reader&) = delete;
  ~leat_reader() = default;

  std::variant<std::monostate, leat::file_reader, leat::mapped_file, leat::memory_reader> own;
  leat::reader* in;
  std::stop_source stop{std::nostopstate};  // of a followed file
  std::unique_ptr<lines_of> lines;
  std::unique_ptr<lines_before> before;
  std::unique_ptr<rows_of> rows;
};

struct leat_writer {
  template <std::derived_from<leat::writer> Stream>
  explicit leat_writer(Stream stream)
      : own(std::in_place_type<Stream>, std::move(stream)), out(&std::get<Stream>(own)) {}
  explicit leat_writer(leat::writer* standard) : out(standard) {}
  leat_writer(const leat_writer&) = delete;
  leat_writer& operator=(const leat_writer&) = delete;
  ~leat_writer() = default;

  std::variant<std::monostate, leat::file_writer, leat::memory_writer, leat::string_writer> own;
  std::unique_ptr<leat::synchronized> shared;
  leat::writer* out;
};
