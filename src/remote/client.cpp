#include "remote/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <new>
#include <utility>

#include "remote/connections.hpp"
#include "remote/encoding.hpp"
#include "remote/incident.hpp"
#include "remote/process.hpp"
#include "remote/xml.hpp"

namespace leat {
inline namespace v0 {
namespace remote {

namespace {

using namespace std::chrono_literals;

constexpr double most_parallel = 32;
constexpr std::size_t longest_answer = std::size_t{8} << 20;  // a list of 1000 keys of 1 KiB fits
// A connection that is slower for so long has stalled.
constexpr long least_rate = 1024;
constexpr long stall_seconds = 15;

bool equal_names(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

template <class Number>
bool read_number(std::string_view& text, Number& number) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

/// "bytes 0-99/1000"; the size may be '*'.
struct content_range {
  std::uint64_t first = 0, last = 0, total = ~std::uint64_t{0};

  static bool parse(std::string_view text, content_range& into) noexcept {
    if (!text.starts_with("bytes ")) return false;
    text.remove_prefix(6);
    if (!read_number(text, into.first) || !text.starts_with('-')) return false;
    text.remove_prefix(1);
    if (!read_number(text, into.last) || !text.starts_with('/')) return false;
    text.remove_prefix(1);
    if (text == "*") return true;
    return read_number(text, into.total) && text.empty() && into.last >= into.first &&
           into.last < into.total;
  }
};

bool is_busy(int status) noexcept { return status == 429 || status == 503; }

bool may_pass(int status) noexcept {
  return status == 408 || status == 500 || status == 502 || status == 504 || is_busy(status);
}

/// Errors of libcurl that say that something does not exist or is not allowed, and stays so.
bool is_final(int result) noexcept {
  switch (result) {
    case CURLE_COULDNT_RESOLVE_HOST:  // names may be unknown for a moment, but rarely
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_OUT_OF_MEMORY:
      return true;
    default:
      return false;
  }
}

std::errc condition_of_curl(int result) noexcept {
  switch (result) {
    case CURLE_OUT_OF_MEMORY:
      return std::errc::not_enough_memory;
    case CURLE_OPERATION_TIMEDOUT:
      return std::errc::timed_out;
    case CURLE_COULDNT_CONNECT:
      return std::errc::connection_refused;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return std::errc::host_unreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
      return std::errc::permission_denied;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return std::errc::connection_reset;
    default:
      return std::errc::io_error;
  }
}

}  // namespace

/// One try of a request.
struct attempt {
  call& of;
  CURL* handle = nullptr;
  curl_slist* lines = nullptr;
  std::string url;
  std::array<char, CURL_ERROR_SIZE> error{};
  std::size_t sent = 0;       // of the body
  std::size_t had = 0;        // bytes of `into` before this attempt
  std::uint64_t skipped = 0;  // of a body that has more than was asked for
  enum class content { unknown, range, whole, text } are = content::unknown;
  const char* wrong = nullptr;  // what is wrong with the answer
  bool changed = false;
  bool in_store;
  call::clock::time_point began;

  attempt(call& one, bool store)
      : of(one), had(one.done), in_store(store), began(call::clock::now()) {}
  ~attempt() { ::curl_slist_free_all(lines); }
  attempt(const attempt&) = delete;
  attempt& operator=(const attempt&) = delete;

  static std::size_t on_header(char* text, std::size_t one, std::size_t count,
                               void* data) noexcept {
    auto& here = *static_cast<attempt*>(data);
    try {
      here.header({text, one * count});
      return one * count;
    } catch (const std::bad_alloc&) {
      return 0;
    }
  }
  static std::size_t on_bytes(char* bytes, std::size_t one, std::size_t count,
                              void* data) noexcept {
    auto& here = *static_cast<attempt*>(data);
    try {
      return here.take({bytes, one * count});
    } catch (const std::bad_alloc&) {
      return 0;
    }
  }
  static std::size_t on_send(char* to, std::size_t one, std::size_t count, void* data) noexcept {
    auto& here = *static_cast<attempt*>(data);
    const std::size_t n = here.of.body.copy(to, one * count, here.sent);
    here.sent += n;
    return n;
  }
  static int on_seek(void* data, curl_off_t offset, int origin) noexcept {
    auto& here = *static_cast<attempt*>(data);
    if (origin != SEEK_SET || offset < 0 || static_cast<std::size_t>(offset) > here.of.body.size())
      return CURL_SEEKFUNC_FAIL;
    here.sent = static_cast<std::size_t>(offset);
    return CURL_SEEKFUNC_OK;
  }

  void header(std::string_view line) {
    reply& said = of.said;
    if (line.starts_with("HTTP/")) {  // also after "100 Continue" and redirections
      said = {};
      line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
      read_number(line, said.status);
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    const std::pair<std::string_view, std::string*> known[] = {
        {"etag", &said.etag},
        {"content-range", &said.content_range},
        {"x-amz-request-id", &said.request_id},
        {"retry-after", &said.retry_after},
        {"date", &said.date},
        {"x-amz-bucket-region", &said.region},
    };
    for (const auto& [known_name, to] : known)
      if (equal_names(name, known_name)) *to = value;
    if (equal_names(name, "content-length")) {
      std::string_view digits = value;
      if (!read_number(digits, said.length) || said.length < 0) said.length = -1;
    }
  }

  /// What the body is, now that all headers are known.
  content kind() noexcept {
    const reply& said = of.said;
    if (!of.wants_range() || (said.status != 200 && said.status != 206)) return content::text;
    if (!of.pinned.empty() && !said.etag.empty() && said.etag != of.pinned) return is_changed();
    if (in_store && said.etag.empty()) {
      wrong = "The answer is no store's: it has no ETag";
      return content::text;
    }
    if (said.status == 200) {
      if (said.length >= 0) of.total_ = static_cast<std::uint64_t>(said.length);
      if (of.size != call::unknown && of.total_ != call::unknown && of.total_ != of.size)
        return is_changed();
      return content::whole;
    }
    content_range range;
    if (!content_range::parse(said.content_range, range) || range.first != of.at + had ||
        range.last > of.at + of.into.size() - 1) {
      wrong = "The server answers with other bytes than it was asked for";
      return content::text;
    }
    if (of.size != call::unknown && range.total != call::unknown && range.total != of.size)
      return is_changed();
    of.total_ = range.total;
    return content::range;
  }

  content is_changed() noexcept {
    changed = true;
    wrong = "The object has changed since it was opened";
    return content::text;
  }

  std::size_t take(std::string_view bytes) {
    if (are == content::unknown) {
      are = kind();
      of.first_byte = call::clock::now() - began;
    }
    if (are == content::text) {
      if (wrong != nullptr) return 0;
      std::string& body = of.said.body;
      if (body.size() + bytes.size() > longest_answer) {
        wrong = "The server's answer is too long";
        return 0;
      }
      body += bytes;
      return bytes.size();
    }
    const std::size_t all = bytes.size();
    if (are == content::whole) {
      const std::uint64_t skip = std::min<std::uint64_t>(of.at + had - skipped, bytes.size());
      skipped += skip;
      bytes.remove_prefix(static_cast<std::size_t>(skip));
    }
    const std::size_t n = std::min(bytes.size(), of.missing());
    std::memcpy(of.into.data() + of.done, bytes.data(), n);
    of.done += n;
    // The rest of a whole object is not wanted.
    return of.missing() == 0 && n < bytes.size() ? 0 : all;
  }
};

call::~call() {
  if (by_ != nullptr) by_->cancel(*this);
}

client::client(server where, settings how)
    : where_(std::move(where)),
      how_(std::move(how)),
      connections_(connections::take(where_.origin + " " + where_.ca_file)),
      random_(std::random_device{}()),
      process_(this_process()) {}

client::~client() {
  if (process_ != this_process()) leave_parent();
  while (!running_.empty()) cancel(running_.back()->of);
  for (call* const one : queued_) one->by_ = nullptr;
  if (connections_ != nullptr) connections::give_back(std::move(connections_));
}

/// A child has no connections of its own yet, and must not touch its parent's.
void client::leave_parent() {
  if (connections_ != nullptr) connections_->abandon();
  for (auto& one : running_) {
    one->lines = nullptr;
    queued_.push_back(&one->of);
  }
  running_.clear();
  connections_.reset();
  process_ = this_process();
}

void client::start(call& one) {
  one.finished = false;
  one.ec.clear();
  one.done = 0;
  one.failures = 0;
  one.started_ = one.next_try_ = call::clock::now();
  const std::size_t size = std::max(one.into.size(), one.body.size());
  one.deadline_ = one.started_ + how_.deadline + std::chrono::seconds(size >> 18U);
  queued_.push_back(&one);
  one.by_ = this;
}

void client::cancel(call& one) noexcept {
  one.by_ = nullptr;
  std::erase(queued_, &one);
  const auto running =
      std::ranges::find_if(running_, [&](const auto& each) { return &each->of == &one; });
  if (running == running_.end()) return;
  if (process_ == this_process()) {
    ::curl_multi_remove_handle(connections_->multi(), (*running)->handle);
    connections_->give_back((*running)->handle);
  }
  running_.erase(running);
}

void client::launch(call& one) {
  auto made = std::make_unique<attempt>(one, where_.in_store);
  running_.reserve(running_.size() + 1);
  one.said = {};
  signed_request request{one.method, one.path, one.query, one.headers};
  auto& headers = request.headers;
  headers.emplace_back("host", where_.host);
  if (!one.pinned.empty()) headers.emplace_back("if-match", one.pinned);
  if (where_.signs) {
    if (where_.expires - std::chrono::system_clock::now() < 5min && made->began > next_renewal_) {
      next_renewal_ = made->began + 30s;
      renew_login(where_, how_, false);
    }
    const bool small = one.body.size() < 4096;
    where_.signs->sign(request,
                       one.body.empty() ? std::string(empty_hash)
                       : small          ? hexadecimal(sha256(one.body))
                                        : "UNSIGNED-PAYLOAD",
                       std::chrono::system_clock::now() + skew_);
  }
  // Proxies may change it, so it is not signed.
  if (one.wants_range())
    headers.emplace_back(
        "range", fmt::format("bytes={}-{}", one.at + one.done, one.at + one.into.size() - 1));
  headers.emplace_back("expect", "");  // nobody waits for "100 Continue"
  for (const auto& [name, value] : headers) {
    const std::string line = fmt::format("{}:{}{}", name, value.empty() ? "" : " ", value);
    curl_slist* const longer = ::curl_slist_append(made->lines, line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    made->lines = longer;
  }
  made->url = where_.origin + one.path + (one.query.empty() ? "" : "?" + one.query);

  CURL* const handle = connections_->take_handle();
  made->handle = handle;
  const auto set = [handle](CURLoption option, auto value) {
    ::curl_easy_setopt(handle, option, value);
  };
  const std::string_view method = one.method;
  const auto milliseconds = [](auto time) {
    return static_cast<long>(std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
  };
  const char* const protocols = made->url.starts_with("https:") ? "https" : "http,https";
  set(CURLOPT_URL, made->url.c_str());
  set(CURLOPT_PRIVATE, made.get());
  set(CURLOPT_ERRORBUFFER, made->error.data());
  set(CURLOPT_HTTPHEADER, made->lines);
  set(CURLOPT_HEADERFUNCTION, &attempt::on_header);
  set(CURLOPT_HEADERDATA, made.get());
  set(CURLOPT_WRITEFUNCTION, &attempt::on_bytes);
  set(CURLOPT_WRITEDATA, made.get());
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  if (!where_.in_store) {
    set(CURLOPT_FOLLOWLOCATION, 1L);
    set(CURLOPT_MAXREDIRS, 5L);
  }
  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(how_.connect_timeout));
  set(CURLOPT_TIMEOUT_MS, milliseconds(one.deadline_ - made->began));
  set(CURLOPT_LOW_SPEED_LIMIT, least_rate);
  set(CURLOPT_LOW_SPEED_TIME, stall_seconds);
  set(CURLOPT_BUFFERSIZE, 512L << 10);
  set(CURLOPT_UPLOAD_BUFFERSIZE, 512L << 10);
  if (where_.direct) set(CURLOPT_PROXY, "");
  if (!where_.ca_file.empty()) set(CURLOPT_CAINFO, where_.ca_file.c_str());
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (method == "PUT") {
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(one.body.size()));
    set(CURLOPT_READFUNCTION, &attempt::on_send);
    set(CURLOPT_READDATA, made.get());
    set(CURLOPT_SEEKFUNCTION, &attempt::on_seek);
    set(CURLOPT_SEEKDATA, made.get());
  } else if (method == "POST") {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(one.body.size()));
    set(CURLOPT_POSTFIELDS, one.body.empty() ? "" : one.body.data());
  } else if (method != "GET") {
    set(CURLOPT_CUSTOMREQUEST, one.method);
  }
  if (::curl_multi_add_handle(connections_->multi(), handle) != CURLM_OK) {
    connections_->give_back(handle);
    throw std::bad_alloc();
  }
  running_.push_back(std::move(made));
}

void client::pump(std::chrono::milliseconds patience) {
  if (process_ != this_process()) leave_parent();
  if (connections_ == nullptr)
    connections_ = connections::take(where_.origin + " " + where_.ca_file);
  auto now = call::clock::now();
  auto next = now + patience;
  for (std::size_t i = 0; i < queued_.size() && running_.size() < parallel();) {
    call& one = *queued_[i];
    if (one.next_try_ > now) {
      next = std::min(next, one.next_try_);
      ++i;
      continue;
    }
    launch(one);  // may throw; then it stays in the queue
    queued_.erase(queued_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  CURLM* const multi = connections_->multi();
  int still = 0;
  ::curl_multi_perform(multi, &still);
  bool any = false;
  int left = 0;
  while (const CURLMsg* const message = ::curl_multi_info_read(multi, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    CURL* const handle = message->easy_handle;
    const auto ended =
        std::ranges::find_if(running_, [&](const auto& each) { return each->handle == handle; });
    auto over = std::move(*ended);
    running_.erase(ended);
    ::curl_multi_remove_handle(multi, handle);
    finish(std::move(over), result);
    any = true;
  }
  if (any || patience.count() == 0) return;
  now = call::clock::now();
  const auto pause = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  if (pause > 0) ::curl_multi_poll(multi, nullptr, 0, static_cast<int>(pause), nullptr);
}

void client::finish(std::unique_ptr<attempt> over, int result) {
  call& one = over->of;
  one.taken = call::clock::now() - over->began;
  if (one.done > over->had) one.failures = 0;
  connections_->give_back(std::exchange(over->handle, nullptr));
  try {
    judge(one, *over, result);
  } catch (const std::bad_alloc&) {
    one.ec = no_memory();
    one.finished = true;
  }
  one.repeated = one.repeated || !one.finished;
  if (one.finished) one.by_ = nullptr;
}

void client::fail(call& one, std::errc like, const std::string& text) {
  answer of{
      .status = one.said.status, .code = {}, .request_id = one.said.request_id, .changed = {}};
  std::string message = text;
  parse_xml(one.said.body, [&](std::string_view path, std::string_view value) {
    if (path == "Error/Code") of.code = value;
    if (path == "Error/RequestId" && of.request_id.empty()) of.request_id = value;
    if (path == "Error/Message" && text.empty()) message = value;
  });
  of.changed = like == std::errc::state_not_recoverable;
  if (message.empty()) message = std::make_error_condition(like).message();
  one.ec = incident(like, message, of);
  one.finished = true;
}

/// Puts it into the queue once more. False: it has been tried often enough.
bool client::repeat(call& one, std::chrono::milliseconds least) {
  if (one.failures >= how_.retries) return false;
  const auto longest = std::min<std::chrono::milliseconds>(
      10s, how_.first_pause * (1U << std::min(one.failures, 10U)));
  std::uniform_int_distribution<std::int64_t> jitter(longest.count() / 2, longest.count());
  const auto next =
      call::clock::now() + std::max(least, std::chrono::milliseconds(jitter(random_)));
  if (next > one.deadline_) return false;
  ++one.failures;
  one.next_try_ = next;
  queued_.push_back(&one);
  return true;
}

/// Mends what the server has told about. Once for each request.
bool client::correct(call& one, const std::string& code, std::string region) {
  if (one.corrected_ || !where_.in_store) return false;
  const int status = one.said.status;
  if (code == "RequestTimeTooSkewed" && !one.said.date.empty()) {
    skew_ = parse_http_time(one.said.date) - std::chrono::system_clock::now();
  } else if (code == "AuthorizationHeaderMalformed" || code == "PermanentRedirect" ||
             code == "TemporaryRedirect" ||
             (one.said.body.empty() && (status == 301 || status == 307 || status == 400))) {
    if (region.empty()) region = one.said.region;
    // Another request may have been told before.
    if (region == where_.region ? !moved_ : !move_to_region(where_, region)) return false;
    moved_ = is_news_ = true;
  } else if (code != "ExpiredToken" || !renew_login(where_, how_, true)) {
    return false;
  }
  one.corrected_ = true;
  queued_.push_back(&one);
  return true;
}

void client::succeed(call& one) {
  if (std::exchange(is_news_, false)) remember_region(where_);
  parallel_ = std::min(most_parallel, parallel_ + 1 / parallel_);
  one.finished = true;
}

/// The answer is not what was asked for.
void client::reject(call& one, const attempt& over) {
  if (!over.changed && repeat(one, 0ms)) return;
  fail(one, over.changed ? std::errc::state_not_recoverable : std::errc::io_error, over.wrong);
}

/// What an answered request costs. Errors of the store itself are free.
void client::count(const call& one, std::uint64_t bytes) noexcept {
  const int status = one.said.status;
  if (!where_.in_store || status < 200 || status >= 500) return;
  const std::string_view method = one.method;
  if (method == "PUT" || method == "POST")
    cost_ += how_.prices.per_write;
  else if (method != "DELETE")
    cost_ += how_.prices.per_read;
  cost_ += static_cast<double>(bytes) / 1e9 * how_.prices.per_gigabyte_read;
}

void client::judge(call& one, attempt& over, int result) {
  const int status = one.said.status;
  count(one, one.done - over.had + over.skipped + one.said.body.size());
  if (over.wrong != nullptr) return reject(one, over);
  if (one.wants_range() && one.missing() == 0) return succeed(one);  // the rest was not wanted
  if (result != CURLE_OK && status < 300) {
    if (!is_final(result) && repeat(one, 0ms)) return;
    const char* const text = over.error[0] != '\0'
                                 ? over.error.data()
                                 : ::curl_easy_strerror(static_cast<CURLcode>(result));
    return fail(one, condition_of_curl(result), text);
  }
  if (may_pass(status)) {
    if (is_busy(status) && over.began >= shrunk_) {
      parallel_ = std::max(1.0, parallel_ / 2);
      shrunk_ = call::clock::now();
    }
    std::string_view seconds = one.said.retry_after;
    unsigned after = 0;
    read_number(seconds, after);
    if (repeat(one, std::chrono::seconds(std::min(after, 3600U)))) return;
    return fail(one, condition_of(status), "");
  }
  if ((status == 412 || status == 416) && !one.pinned.empty())
    return fail(one, std::errc::state_not_recoverable,
                "The object has changed since it was opened");
  if (status >= 300) {
    std::string code, region, endpoint;
    parse_xml(one.said.body, [&](std::string_view path, std::string_view value) {
      if (path == "Error/Code") code = value;
      if (path == "Error/Region") region = value;
      if (path == "Error/Endpoint") endpoint = value;
    });
    if (region.empty() && one.said.region.empty()) region = region_in(endpoint);
    if (correct(one, code, region)) return;
    return fail(one, condition_of(status), "");
  }
  if (one.wants_range()) {
    if (over.are == attempt::content::unknown) {  // there was no byte
      over.are = over.kind();
      if (over.wrong != nullptr) return reject(one, over);
    }
    if (over.are != attempt::content::range && one.total_ == call::unknown)
      one.total_ = one.at + one.done;  // a body without a length has ended
    if (one.at + one.done < one.total_) {
      if (repeat(one, 0ms)) return;
      return fail(one, std::errc::io_error, "The server sends fewer bytes than it was asked for");
    }
  } else if (one.needs_etag && one.said.etag.empty()) {
    if (repeat(one, 0ms)) return;
    return fail(one, std::errc::io_error, "The answer is no store's: it has no ETag");
  }
  succeed(one);
}

}  // namespace remote
}  // namespace v0
}  // namespace leat
