// A real store for the tests: versitygw, a gateway of S3 over a folder, on loopback.
//
// Or a store that is there already: LEAT_TEST_STORE=http://127.0.0.1:PORT, which AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_REGION give access to. It has an empty bucket named "bucket".
// LEAT_TEST_STORE_LACKS tells what it can't do: "exclusive", if it ignores If-None-Match, or
// "exclusive_parts", if it does so when an upload of parts is completed.
#pragma once

#include <gtest/gtest.h>

#include <leat/remote.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "remote/server_process.hpp"
#include "support/files.hpp"

namespace leat_test {

class store {
 public:
  /// Starts it with an empty bucket named "bucket", unless there is one.
  store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// False if none is running and the gateway is not installed (scripts/setup test).
  static bool is_there();
  /// True if it runs already, somewhere else.
  static bool is_given();
  /// The one of this process.
  static store& running();

  std::uint16_t port() const { return port_; }
  /// How it is reached, by another port too.
  leat::remote::settings how(std::uint16_t port) const;
  leat::remote::settings how() const { return how(port()); }

  /// Whether this process has started it. Others have other words for what is wrong, or none.
  bool is_ours() const { return gateway_ != nullptr; }
  /// Whether it makes an object of this size only where there is none.
  static bool keeps_exclusive(std::size_t size);

  void put(std::string_view key, std::string_view content) const;
  // What is there. Of the gateway these look into its folder, past everything that is tested.
  std::string get(std::string_view key) const;
  bool has(std::string_view key) const;
  /// Uploads that were begun and neither completed nor aborted.
  std::size_t open_uploads() const;

 private:
  void start_gateway();
  /// Of the gateway: the file of an object.
  std::string file(std::string_view key) const { return folder_ / ("bucket/" + std::string(key)); }

  temporary_folder folder_;
  std::unique_ptr<server_process> gateway_;
  std::uint16_t port_ = 0;
};

/// Tests that need the store. Their objects go by the defaults.
class with_store : public testing::Test {
 protected:
  void SetUp() override {
    if (!store::is_there()) GTEST_SKIP() << "there is no versitygw: scripts/setup test";
    leat::remote::set_defaults(at().how());
  }
  static store& at() { return store::running(); }
};

}  // namespace leat_test
