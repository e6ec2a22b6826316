// The device that writes an object. remote.cpp opens the device.
#include "remote/object_writer.hpp"

#include <leat/detail/crc32c.hpp>
#include <leat/format.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "remote/checksums.hpp"
#include "remote/conditions.hpp"
#include "remote/encoding.hpp"
#include "remote/errors.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

// A store accepts 10,000 parts of 5 MiB to 5 GiB. Up to 80 GiB (6,912 parts), the parts are so
// small that 48 MiB of memory hold several parts. Later parts grow with the object (1/720 of its
// size), so that an object can have 5 TiB (64 times 80 GiB).
constexpr std::uint64_t first_part_size = std::uint64_t{8} << 20;
constexpr std::uint64_t default_part_size = std::uint64_t{12} << 20;
constexpr std::uint64_t most_memory = std::uint64_t{48} << 20;
constexpr std::uint64_t growth_threshold = std::uint64_t{80} << 30;
constexpr std::uint64_t largest_part_size = std::uint64_t{5} << 30;
constexpr std::size_t first_part_count = 256;
constexpr std::size_t most_parts = 10'000;

/// The ETag that stores give an object of parts: the MD5 of the parts' MD5s, '-', and the number of
/// parts. Empty if the ETags of the parts are not MD5s.
std::string etag_of_parts(const std::vector<std::string>& etags) {
  std::string digests;
  for (const std::string& etag : etags) {
    constexpr std::size_t digits = 32;
    if (etag.size() != digits + 2 || etag.front() != '"' || etag.back() != '"') return {};
    for (std::size_t i = 1; i != digits + 1; i += 2) {
      unsigned byte = 0;
      const char* const end = etag.data() + i + 2;
      if (std::from_chars(etag.data() + i, end, byte, 16).ptr != end) return {};
      digests += static_cast<char>(byte);
    }
  }
  return '"' + hexadecimal(md5(digests)) + '-' + std::to_string(etags.size()) + '"';
}

}  // namespace

std::unique_ptr<object_writer> object_writer::open(server target, const settings& how,
                                                   bool exclusive, std::error_code& ec) {
  if (!target.in_store) {
    ec = std::make_error_code(std::errc::operation_not_supported);
    return nullptr;
  }
  auto result = std::make_unique<object_writer>(std::move(target), how, exclusive);
  if (exclusive && result->object_exists({}, 0, ec))
    ec = std::make_error_code(std::errc::file_exists);
  if (exclusive && !ec && !how.keeps_conditions) probe_conditions(result->client_, ec);
  if (ec) return nullptr;
  return result;
}

object_writer::~object_writer() {
  std::error_code ec;
  if (!ended_ && check_process(ec)) abort();
}

bool object_writer::check_process(std::error_code& ec) const noexcept {
  if (process_ == component::this_process()) return true;
  ec = std::make_error_code(std::errc::operation_not_permitted);
  return false;
}

std::size_t object_writer::next_part_size() const noexcept {
  const std::uint64_t size = etags_.size() < first_part_count ? first_part_size
                             : sent_ < growth_threshold       ? default_part_size
                                                              : sent_ / 720;
  return static_cast<std::size_t>(std::min(size, largest_part_size));
}

void object_writer::append_to_part(std::string_view bytes, std::error_code& ec) {
  while (!bytes.empty()) {
    if (memory_ == nullptr) {
      capacity_ = next_part_size();
      wait_for_parts(
          static_cast<std::size_t>(std::max<std::uint64_t>(2, most_memory / capacity_) - 1), ec);
      if (ec) return;
      memory_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    const std::size_t n = std::min(bytes.size(), capacity_ - filled_);
    std::memcpy(memory_.get() + filled_, bytes.data(), n);
    filled_ += n;
    bytes.remove_prefix(n);
    if (filled_ == capacity_) send_part(ec);
    if (ec) return;
  }
}

void object_writer::begin_upload(std::error_code& ec) {
  call begin;
  begin.method = "POST";
  begin.path = client_.target().path;
  begin.query = "uploads=";
  begin.has_part_checksums = true;
  begin.root = "InitiateMultipartUploadResult";
  client_.perform(begin);
  ec = begin.ec;
  if (ec) return;
  parse_xml(begin.response.body, [&](std::string_view path, std::string_view text) {
    if (path == "InitiateMultipartUploadResult/UploadId") upload_id_ = text;
  });
  if (upload_id_.empty())
    ec = make_error(std::errc::io_error, "The store's response has no upload ID");
}

void object_writer::send_part(std::error_code& ec) {
  if (upload_id_.empty()) begin_upload(ec);
  if (ec) return;
  if (etags_.size() == most_parts) {
    ec = std::make_error_code(std::errc::file_too_large);
    return;
  }
  auto next_part = std::make_unique<part>();
  etags_.emplace_back();
  next_part->number = static_cast<unsigned>(etags_.size());
  next_part->memory = std::move(memory_);
  next_part->upload.method = "PUT";
  next_part->upload.needs_etag = true;
  next_part->upload.path = client_.target().path;
  next_part->upload.query = leat::format("partNumber={}&uploadId={}", next_part->number,
                                         percent_encoded(upload_id_, false));
  next_part->upload.body = {next_part->memory.get(), filled_};
  next_part->upload.checksum = checksum_of(next_part->upload.body);
  crc_ = detail::crc32c(crc_, next_part->memory.get(), filled_);
  checksums_.push_back({next_part->upload.checksum, false});
  in_flight_.push_back(std::move(next_part));
  client_.start(in_flight_.back()->upload);
  sent_ += std::exchange(filled_, 0);
  client_.pump(std::chrono::milliseconds(0));
}

/// Waits until at most `most_left` parts are under way, or a part has failed.
void object_writer::wait_for_parts(std::size_t most_left, std::error_code& ec) {
  client_.pump(std::chrono::milliseconds(0));
  for (;;) {
    for (auto entry = in_flight_.begin(); entry != in_flight_.end();) {
      const call& upload = (*entry)->upload;
      if (!upload.finished) {
        ++entry;
        continue;
      }
      if (upload.ec && !ec) ec = upload.ec;
      etags_[(*entry)->number - 1] = upload.response.etag;
      checksums_[(*entry)->number - 1].is_reported =
          std::ranges::any_of(upload.response.checksums,
                              [](const auto& reported) { return reported.first == "crc32c"; });
      entry = in_flight_.erase(entry);
    }
    if (ec || in_flight_.size() <= most_left) return;
    client_.pump(std::chrono::seconds(1));
  }
}

std::size_t object_writer::write_at(std::uint64_t, std::span<const std::string_view> pieces,
                                    std::error_code& ec) noexcept try {
  if (!check_process(ec)) return 0;
  ec = error_;
  std::size_t all = 0;
  if (!in_flight_.empty()) client_.pump(std::chrono::milliseconds(0));
  for (const std::string_view bytes : pieces) {
    if (ec) break;
    append_to_part(bytes, ec);
    if (!ec) all += bytes.size();
  }
  error_ = ec;
  return all;
} catch (const std::bad_alloc&) {
  error_ = ec = no_memory();
  return 0;
}

std::size_t object_writer::read_at(std::uint64_t, std::span<char>, std::error_code& ec) noexcept {
  ec = std::make_error_code(std::errc::bad_file_descriptor);
  return 0;
}

void object_writer::sync(std::error_code& ec) noexcept try {
  if (!check_process(ec)) return;
  ec = error_;
  if (!ec) wait_for_parts(0, ec);
  error_ = ec;
} catch (const std::bad_alloc&) {
  error_ = ec = no_memory();
}

/// True if the object exists and, if `etag` is not empty, has this ETag and size. If the store does
/// not say whether the object exists, sets `ec`.
bool object_writer::object_exists(const std::string& etag, std::uint64_t size,
                                  std::error_code& ec) {
  call head;
  head.method = "HEAD";
  head.needs_etag = true;
  head.path = client_.target().path;
  client_.perform(head);
  ec = head.ec;
  std::string found = head.response.etag;
  auto length = static_cast<std::uint64_t>(head.response.length);
  if (const int status = head.response.status; status == 403 || status == 405 || status == 501) {
    // The server may refuse only HEAD. A request for the first byte returns the ETag and the
    // length, too.
    char byte = 0;
    call first;
    first.path = client_.target().path;
    first.into = {&byte, 1};
    client_.perform(first);
    ec = first.ec;
    found = first.response.etag;
    length = first.total();
    if (first.response.status == 416) {  // the object is empty; errors have no ETag
      ec.clear();
      return etag.empty() || size == 0;
    }
  }
  if (ec == std::errc::no_such_file_or_directory) {
    ec.clear();
    return false;
  }
  return !ec && (etag.empty() || (found == etag && length == size));
}

/// Uploads a small object in one request.
void object_writer::put_object(std::error_code& ec) {
  call all;
  all.method = "PUT";
  all.needs_etag = true;
  all.path = client_.target().path;
  all.body = {memory_.get(), filled_};
  all.checksum = checksum_of(all.body);
  if (exclusive_) all.headers.emplace_back("if-none-match", "*");
  client_.perform(all);
  ec = all.ec;
  if (all.response.status != 412 || !all.repeated) return;
  // An earlier attempt may have made the object.
  std::error_code check_error;
  if (object_exists('"' + hexadecimal(md5(all.body)) + '"', all.body.size(), check_error))
    ec.clear();
}

void object_writer::complete(std::error_code& ec) {
  // Some stores check the condition only if one request makes the whole object (Ceph 16).
  if (exclusive_ && object_exists({}, 0, ec)) ec = std::make_error_code(std::errc::file_exists);
  if (ec) return;
  std::string parts = "<CompleteMultipartUpload>";
  for (std::size_t i = 0; i != etags_.size(); ++i) {
    parts += leat::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag>", i + 1, etags_[i]);
    // Only stores that support checksums accept a checksum here.
    if (checksums_[i].is_reported)
      parts += "<ChecksumCRC32C>" + checksums_[i].text + "</ChecksumCRC32C>";
    parts += "</Part>";
  }
  parts += "</CompleteMultipartUpload>";
  call end;
  end.method = "POST";
  end.path = client_.target().path;
  end.query = "uploadId=" + percent_encoded(upload_id_, false);
  end.body = parts;
  if (exclusive_) end.headers.emplace_back("if-none-match", "*");
  end.root = "CompleteMultipartUploadResult";
  end.deadline_multiplier = 5;  // stores join the parts before they answer
  client_.perform(end);
  ec = end.ec;
  if (end.repeated && (end.response.status == 404 || end.response.status == 412)) {
    // An earlier attempt may have completed the upload.
    const std::string etag = etag_of_parts(etags_);
    std::error_code check_error;
    if (!etag.empty() && object_exists(etag, sent_, check_error)) return ec.clear();
  }
  if (!ec) check_object_checksum(end.response, ec);
}

/// If the store reports a checksum of the whole object, compares this checksum with the checksum of
/// the sent bytes.
void object_writer::check_object_checksum(const reply& response, std::error_code& ec) const {
  std::string reported;
  parse_xml(response.body, [&](std::string_view path, std::string_view text) {
    if (path == "CompleteMultipartUploadResult/ChecksumCRC32C") reported = text;
  });
  if (reported.empty()) return;
  std::vector<std::string> parts;
  parts.reserve(checksums_.size());
  for (const auto& each : checksums_) parts.push_back(each.text);
  const bool is_of_parts = reported.find('-') != std::string::npos;
  if (reported != (is_of_parts ? checksum_of_parts(parts) : checksum_text(~crc_)))
    ec = make_error(
        std::errc::io_error,
        "The store's checksum of the object differs from the checksum of the sent bytes",
        {.status = response.status, .code = {}, .request_id = response.request_id, .changed = {}});
}

void object_writer::commit(std::error_code& ec) {
  ec = error_;
  if (ec) return;
  if (upload_id_.empty()) return put_object(ec);
  if (filled_ != 0) send_part(ec);
  if (!ec) wait_for_parts(0, ec);
  if (!ec) complete(ec);
}

void object_writer::close(std::error_code& ec) noexcept {
  if (!check_process(ec)) return;
  try {
    commit(ec);
  } catch (const std::bad_alloc&) {
    ec = no_memory();
  }
  if (ec) abort();
  committed_ = !ec;
  ended_ = true;
  if (ec) error_ = ec;
}

void object_writer::abort() noexcept try {
  // Stores may keep parts that arrive after the abort of their upload. So abort() waits up to 2 s
  // for the parts that are under way.
  const auto deadline = call::clock::now() + std::chrono::seconds(2);
  const auto is_in_flight = [](const auto& one) { return !one->upload.finished; };
  while (std::ranges::any_of(in_flight_, is_in_flight) && call::clock::now() < deadline)
    client_.pump(std::chrono::milliseconds(100));
  in_flight_.clear();
  if (upload_id_.empty()) return;
  call removal;
  removal.method = "DELETE";
  removal.path = client_.target().path;
  removal.query = "uploadId=" + percent_encoded(upload_id_, false);
  upload_id_.clear();
  client_.perform(removal);
} catch (const std::bad_alloc&) {
  return;  // the upload stays in the list of uploads()
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
