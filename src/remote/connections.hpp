// Kept connections, by libcurl. They outlive the devices that use them.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

namespace leat {
inline namespace v0 {
namespace remote {

class connections {
 public:
  /// Those to this server that nobody uses, or none yet.
  static std::unique_ptr<connections> take(const std::string& key);
  /// Keeps them for the next one.
  static void give_back(std::unique_ptr<connections> unused) noexcept;

  explicit connections(std::string key);
  ~connections();
  connections(const connections&) = delete;
  connections& operator=(const connections&) = delete;

  CURLM* multi() const noexcept { return multi_; }
  CURL* take_handle();
  void give_back(CURL* handle) noexcept;
  /// After fork() they are the parent's: they must not even be closed.
  void abandon() noexcept;

 private:
  std::string key_;
  CURLM* multi_;
  std::vector<CURL*> idle_;
};

}  // namespace remote
}  // namespace v0
}  // namespace leat
