// leat_reader and leat_writer: the streams of leat.h that wrap streams of C++. readers.cpp and
// writers.cpp use these structs.
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
  struct kept_range {
    kept_range(leat::reader& in, const Options& asked) : options(asked), range((in.*Make)(asked)) {}
    Options options;
    Range range;
    typename Range::iterator current;
    bool is_started = false;  // `current` is set
  };
  using kept_lines = kept_range<leat::line_range, leat::line_options, &leat::reader::lines>;
  using kept_lines_backwards =
      kept_range<leat::backward_line_range, leat::line_options, &leat::reader::lines_backwards>;
  using kept_rows = kept_range<leat::row_range, leat::row_options, &leat::reader::rows>;

  template <std::derived_from<leat::reader> Stream>
  explicit leat_reader(Stream stream)
      : owned_stream(std::in_place_type<Stream>, std::move(stream)),
        in(&std::get<Stream>(owned_stream)) {}
  explicit leat_reader(leat::reader* standard) : in(standard) {}
  leat_reader(const leat_reader&) = delete;
  leat_reader& operator=(const leat_reader&) = delete;
  ~leat_reader() = default;

  std::variant<std::monostate, leat::file_reader, leat::mapped_file, leat::memory_reader>
      owned_stream;
  leat::reader* in;                         // owned_stream, or leat::in
  std::stop_source stop{std::nostopstate};  // stops a reader of leat_reader_follow
  std::unique_ptr<kept_lines> lines;
  std::unique_ptr<kept_lines_backwards> lines_backwards;
  std::unique_ptr<kept_rows> rows;
};

struct leat_writer {
  template <std::derived_from<leat::writer> Stream>
  explicit leat_writer(Stream stream)
      : owned_stream(std::in_place_type<Stream>, std::move(stream)),
        out(&std::get<Stream>(owned_stream)) {}
  explicit leat_writer(leat::writer* standard) : out(standard) {}
  leat_writer(const leat_writer&) = delete;
  leat_writer& operator=(const leat_writer&) = delete;
  ~leat_writer() = default;

  std::variant<std::monostate, leat::file_writer, leat::memory_writer, leat::string_writer>
      owned_stream;
  std::unique_ptr<leat::synchronized> shared;  // null before leat_writer_share()
  leat::writer* out;  // the stream that calls use: owned_stream, `shared` or a standard stream
};
