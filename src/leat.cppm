// The module `leat`, for programs with `import leat;`. The module exports the declarations of
// <leat/leat.hpp>, <leat/simulated.hpp> and <leat/testing.hpp>, but no macros.
module;

#include <leat/leat.hpp>
#include <leat/simulated.hpp>
#include <leat/testing.hpp>

export module leat;

export namespace leat {

// <leat/bytes.hpp>
using leat::bytes_of;
using leat::crc32c;

// <leat/codec.hpp>
using leat::codec_functions;
using leat::decoding_request;
using leat::encoding_request;
using leat::register_codecs;

// <leat/device.hpp>
using leat::adopt;
using leat::borrow;
using leat::device;
using leat::device_speed;
using leat::device_traits;
using leat::read_request;
using leat::write_request;

// <leat/endian.hpp>
using leat::big;
using leat::little;
using leat::stored;

// <leat/error.hpp>
using leat::errc;
using leat::error_category;
using leat::failure;
using leat::format_error;
using leat::io_error;
using leat::last_error;
using leat::loss_handler;
using leat::make_error_code;
using leat::message;
using leat::set_loss_handler;
using leat::set_loss_status;

// <leat/fields.hpp>
using leat::field_range;
using leat::fields;
using leat::split_once;
using leat::text_halves;
using leat::trim;

// <leat/file.hpp>
using leat::access_options;
using leat::batch_plan;
using leat::byte_range;
using leat::file;
using leat::mode;
using leat::route;

// <leat/file_stream.hpp>
using leat::append;
using leat::copy;
using leat::copy_file;
using leat::copy_progress;
using leat::create;
using leat::create_or_stdout;
using leat::file_reader;
using leat::file_stream;
using leat::file_writer;
using leat::open;
using leat::open_or_stdin;
using leat::read_file;
using leat::recover;
using leat::rename_durably;
using leat::replace;
using leat::temporary_file;
using leat::update;
using leat::write_file;

// <leat/finder.hpp>
using leat::count;
using leat::finder;

// <leat/folder.hpp>
using leat::folder;

// <leat/follow.hpp>
using leat::follow;
using leat::follow_options;

// <leat/format.hpp>
using leat::basic_format_string;
using leat::format;
using leat::runtime;
using leat::runtime_format;

// <leat/formatted.hpp>
using leat::formatted;

// <leat/iostream.hpp>
using leat::istream;
using leat::ostream;

// <leat/journal.hpp>
using leat::journal;
using leat::journal_damage;
using leat::journal_options;
using leat::journal_read_options;
using leat::journal_reader;
using leat::journal_record;

// <leat/lock.hpp>
using leat::file_lock;
using leat::has_native_handle;
using leat::lock_mode;

// <leat/mapped_file.hpp>
using leat::guard_mappings;
using leat::map_file;
using leat::mapped_file;
using leat::mapped_padding;

// <leat/memory.hpp>
using leat::memory_reader;
using leat::memory_writer;
using leat::string_writer;

// <leat/options.hpp>
using leat::append_options;
using leat::caching;
using leat::compression;
using leat::create_options;
using leat::durability;
using leat::flush_when;
using leat::map_options;
using leat::open_options;
using leat::pattern;
using leat::reader_options;
using leat::replace_options;
using leat::stream_options;
using leat::temporary_options;
using leat::update_options;
using leat::when_full;
using leat::writer_options;

// <leat/parse.hpp>
using leat::parsable;
using leat::parsable_integer;
using leat::parse;
using leat::parse_result;

// <leat/path.hpp>
using leat::native_handle_type;
using leat::no_handle;
using leat::path_ref;

// <leat/print.hpp>
using leat::print;
using leat::println;

// <leat/quoted.hpp>
using leat::write_csv;
using leat::write_json;

// <leat/ranges.hpp>
using leat::backward_line_range;
using leat::concrete_reader;
using leat::line_range;
using leat::match_range;
using leat::word_range;

// <leat/reader.hpp>
using leat::in;
using leat::line_options;
using leat::placed_line;
using leat::reader;
using leat::standard_reader;
using leat::window_padding;

// <leat/records.hpp>
using leat::places_range;
using leat::positions_range;
using leat::records;
using leat::records_options;

// <leat/rotating.hpp>
using leat::old_names;
using leat::rotated_callback;
using leat::rotating;
using leat::rotating_options;

// <leat/rows.hpp>
using leat::row;
using leat::row_options;
using leat::row_range;

// <leat/scheme.hpp>
using leat::address_opener;
using leat::address_request;
using leat::address_use;
using leat::register_scheme;

// <leat/simulated.hpp>
using leat::model_of;
using leat::simulated_device;
using leat::simulated_disk;
using leat::simulated_model;
using leat::simulated_platter;
using leat::simulated_service;
using leat::simulated_statistics;

// <leat/split.hpp>
using leat::split;
using leat::split_options;

// <leat/testing.hpp>
using leat::device_fault;
using leat::device_operation;
using leat::failing_device;
using leat::fault_plan;
using leat::volatile_file;

// <leat/time.hpp>
using leat::local_now;
using leat::now;
using leat::stamp;

// <leat/writer.hpp>
using leat::err;
using leat::out;
using leat::shared_writer;
using leat::standard_writer;
using leat::synchronized;
using leat::writer;

}  // namespace leat
