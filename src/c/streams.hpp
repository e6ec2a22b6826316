// leat_reader and leat_writer: the streams of leat.h that wrap streams of C++.
#pragma once

#include <leat/c/streams.h>
#include <leat/file_stream.hpp>
#include <leat/mapped_file.hpp>
#include <leat/memory.hpp>

#include <concepts>
#include <memory>
#include <stop_token>
#include <utility>
#include <variant>

struct leat_reader {
  /// A range of lines or rows that is kept between calls.
  template <class Range, class Options, Range (leat::reader::*Make)(const Options&)&>
  struct kept {
    kept(leat::reader& in, const Options& options) : how(options), range((in.*Make)(options)) {}
    Options how;
    Range range;
    typename Range::iterator at;
    bool begun = false;
  };
  using lines_of = kept<leat::line_range, leat::line_options, &leat::reader::lines>;
  using lines_before =
      kept<leat::backward_line_range, leat::line_options, &leat::reader::lines_backwards>;
  using rows_of = kept<leat::row_range, leat::row_options, &leat::reader::rows>;

  template <std::derived_from<leat::reader> Stream>
  explicit leat_reader(Stream stream)
      : own(std::in_place_type<Stream>, std::move(stream)), in(&std::get<Stream>(own)) {}
  explicit leat_reader(leat::reader* standard) : in(standard) {}
  leat_reader(const leat_reader&) = delete;
  leat_reader& operator=(const leat_reader&) = delete;
  ~leat_reader() = default;

  std::variant<std::monostate, leat::file_reader, leat::mapped_file, leat::memory_reader> own;
  leat::reader* in;
  std::stop_source stop{std::nostopstate};  // stops a reader of leat_reader_follow
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
