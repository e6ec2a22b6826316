// Readers over libcurl, as peers of leat in the experiments with a store. command.cpp calls
// store_endpoint().
#include "experiments/store/curl.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <leat/remote.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "system/failure.hpp"

namespace bench {

namespace {

constexpr std::uint64_t long_range = 8 << 20;
constexpr std::size_t long_ranges_at_a_time = 8;

/// If `known` is empty, returns the value of the first environment variable that is not empty, or
/// an empty text if all variables are empty. If `known` is not empty, returns `known`.
std::string first_nonempty(std::string known, std::initializer_list<const char*> variables) {
  for (const char* const name : variables) {
    if (!known.empty()) break;
    if (const char* const value = std::getenv(name)) known = value;
  }
  return known;
}

/// The address of an object, and the credentials.
struct access_to_store {
  std::string url, region, user, token;
};

std::string region_of_store() {
  const auto found =
      first_nonempty(leat::remote::defaults().region, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  return found.empty() ? "us-east-1" : found;
}

access_to_store access_of(std::string_view address) {
  access_to_store result;
  const auto rest = address.substr(std::string_view("s3://").size());
  result.url = store_endpoint() + '/';
  // libcurl 7.88 signs the path as given. So all characters are encoded here, except letters,
  // digits and "-._~/".
  for (const char c : rest) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::strchr("-._~/", c) != nullptr;
    result.url += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  result.region = region_of_store();
  if (const auto& login = leat::remote::defaults().login) {
    result.user = login->access_key + ':' + login->secret_key;
    result.token = login->session_token;
  } else {
    result.user = first_nonempty("", {"AWS_ACCESS_KEY_ID"}) + ':' +
                  first_nonempty("", {"AWS_SECRET_ACCESS_KEY"});
    result.token = first_nonempty("", {"AWS_SESSION_TOKEN"});
  }
  return result;
}

void require_ok(CURLcode result) {
  if (result != CURLE_OK) throw failure(fmt::format("libcurl: {}", curl_easy_strerror(result)));
}

/// Destination of a range.
struct target {
  char* at = nullptr;
  std::size_t room = 0;
};

std::size_t write_to_target(char* bytes, std::size_t, std::size_t n, void* to) {
  auto& into = *static_cast<target*>(to);
  if (n > into.room) return 0;  // libcurl then fails
  std::memcpy(into.at, bytes, n);
  into.at += n;
  into.room -= n;
  return n;
}

std::size_t write_to_function(char* bytes, std::size_t, std::size_t n, void* to) {
  const auto& take = *static_cast<const std::function<bool(std::string_view)>*>(to);
  return take({bytes, n}) ? n : 0;
}

}  // namespace

class curl_object::handles {
 public:
  explicit handles(const std::string& address) : to_(access_of(address)) {
    headers_ = curl_slist_append(headers_, "x-amz-content-sha256: UNSIGNED-PAYLOAD");
    if (!to_.token.empty())
      headers_ = curl_slist_append(headers_, ("x-amz-security-token: " + to_.token).c_str());
  }
  ~handles() {
    end_requests();
    for (CURL* const one : all_) curl_easy_cleanup(one);
    curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
  }
  handles(const handles&) = delete;
  handles& operator=(const handles&) = delete;

  /// Returns the handle with this number. Makes the handle at the first call.
  CURL* get(std::size_t number) {
    while (all_.size() <= number) all_.push_back(make());
    return all_[number];
  }
  CURLM* multi() const { return multi_; }
  /// Ends the requests of multi() that are still running.
  void end_requests() {
    for (CURL* const one : all_) curl_multi_remove_handle(multi_, one);
  }

  static void set_range(CURL* handle, const leat::byte_range& range, target& into) {
    const auto text = fmt::format("{}-{}", range.at, range.at + range.size - 1);
    curl_easy_setopt(handle, CURLOPT_RANGE, text.c_str());
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write_to_target);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &into);
  }
  /// Counts a request that has ended.
  void count_request(CURL* handle) {
    curl_off_t body = 0;
    long headers = 0;
    curl_easy_getinfo(handle, CURLINFO_SIZE_DOWNLOAD_T, &body);
    curl_easy_getinfo(handle, CURLINFO_HEADER_SIZE, &headers);
    traffic_.bytes += static_cast<std::uint64_t>(body) + static_cast<std::uint64_t>(headers);
    ++traffic_.requests;
  }
  const traffic_count& traffic() const { return traffic_; }

  static void require_full(const target& into) {
    if (into.room != 0) throw failure("libcurl: a range is too short");
  }

 private:
  CURL* make() {
    CURL* const one = curl_easy_init();
    if (one == nullptr) throw failure("libcurl: no memory");
    curl_easy_setopt(one, CURLOPT_URL, to_.url.c_str());
    curl_easy_setopt(one, CURLOPT_AWS_SIGV4, fmt::format("aws:amz:{}:s3", to_.region).c_str());
    curl_easy_setopt(one, CURLOPT_USERPWD, to_.user.c_str());
    curl_easy_setopt(one, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(one, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(one, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(one, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(one, CURLOPT_BUFFERSIZE, 256L << 10);
    return one;
  }

  access_to_store to_;
  curl_slist* headers_ = nullptr;
  CURLM* multi_ = curl_multi_init();
  std::vector<CURL*> all_;
  traffic_count traffic_;
};

curl_object::curl_object(const std::string& address)
    : handles_(std::make_unique<handles>(address)) {}

curl_object::~curl_object() = default;

void curl_object::read_one_by_one(std::span<const leat::byte_range> ranges, char* into) {
  CURL* const handle = handles_->get(0);
  for (const auto& range : ranges) {
    target to{into, static_cast<std::size_t>(range.size)};
    handles::set_range(handle, range, to);
    require_ok(curl_easy_perform(handle));
    handles_->count_request(handle);
    handles::require_full(to);
    into += range.size;
  }
}

void curl_object::read_many(std::span<const leat::byte_range> ranges, char* into,
                            std::size_t at_a_time) {
  std::vector<target> targets(std::min(at_a_time, ranges.size()));
  // After an exception, no request may write to `targets`.
  struct ender {
    handles& of;
    ~ender() { of.end_requests(); }
  } const at_end{*handles_};
  std::size_t next = 0, running = 0;
  const auto start = [&](std::size_t slot) {
    CURL* const handle = handles_->get(slot);
    targets[slot] = {into, static_cast<std::size_t>(ranges[next].size)};
    into += ranges[next].size;
    handles::set_range(handle, ranges[next++], targets[slot]);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, &targets[slot]);
    curl_multi_add_handle(handles_->multi(), handle);
    ++running;
  };
  while (next != targets.size()) start(next);
  while (running != 0) {
    int active = 0, left = 0;
    curl_multi_perform(handles_->multi(), &active);
    while (const CURLMsg* const message = curl_multi_info_read(handles_->multi(), &left)) {
      CURL* const handle = message->easy_handle;
      const CURLcode result = message->data.result;
      target* to = nullptr;
      curl_easy_getinfo(handle, CURLINFO_PRIVATE, &to);
      curl_multi_remove_handle(handles_->multi(), handle);
      --running;
      require_ok(result);
      handles_->count_request(handle);
      handles::require_full(*to);
      if (next != ranges.size()) start(static_cast<std::size_t>(to - targets.data()));
    }
    if (running != 0 && active != 0) curl_multi_poll(handles_->multi(), nullptr, 0, 1000, nullptr);
  }
}

void curl_object::read_all(char* into, std::uint64_t size) {
  std::vector<leat::byte_range> ranges;
  for (std::uint64_t at = 0; at < size; at += long_range)
    ranges.push_back({at, std::min(long_range, size - at)});
  read_many(ranges, into, long_ranges_at_a_time);
}

void curl_object::stream(const std::function<bool(std::string_view)>& take) {
  bool ended = false;
  const std::function<bool(std::string_view)> watched = [&](std::string_view bytes) {
    ended = !take(bytes);
    return !ended;
  };
  CURL* const handle = handles_->get(0);
  curl_easy_setopt(handle, CURLOPT_RANGE, nullptr);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write_to_function);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &watched);
  const CURLcode result = curl_easy_perform(handle);
  if (!ended) require_ok(result);
  handles_->count_request(handle);
}

curl_object::traffic_count curl_object::traffic() const { return handles_->traffic(); }

std::string no_curl_reason() {
  const bool has_credentials =
      leat::remote::defaults().login || (std::getenv("AWS_ACCESS_KEY_ID") != nullptr &&
                                         std::getenv("AWS_SECRET_ACCESS_KEY") != nullptr);
  return has_credentials
             ? ""
             : "libcurl is not measured, because the environment has no credentials: set "
               "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_ENDPOINT_URL, AWS_REGION).";
}

std::string store_endpoint() {
  auto found = first_nonempty(leat::remote::defaults().endpoint,
                              {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (found.empty()) found = fmt::format("https://s3.{}.amazonaws.com", region_of_store());
  while (found.ends_with('/')) found.pop_back();
  return found;
}

bool is_encrypted() { return !store_endpoint().starts_with("http://"); }

}  // namespace bench
