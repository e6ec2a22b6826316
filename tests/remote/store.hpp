// A real store for the tests: versitygw, an S3 gateway over a folder, on loopback.
//
// A store that is running can be used instead: LEAT_TEST_STORE=http://127.0.0.1:PORT, with access
// by AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION. The store must have an empty bucket
// named "bucket". LEAT_TEST_STORE_LACKS is "exclusive" if the store ignores If-None-Match, or
// "exclusive_parts" if the store ignores If-None-Match only when a multipart upload is completed.
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
  /// If LEAT_TEST_STORE names no store, starts the gateway with an empty bucket named "bucket". If
  /// LEAT_TEST_STORE is invalid, or if the gateway does not start, throws a std::exception.
  store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// False if LEAT_TEST_STORE names no store and the gateway is not installed. `scripts/setup test`
  /// installs the gateway.
  static bool is_available();
  /// True if LEAT_TEST_STORE names a store.
  static bool is_external();
  /// The store that the tests of this process share.
  static store& shared();

  std::uint16_t port() const { return port_; }
  /// The settings for the store, with its port or a proxy's port.
  leat::remote::settings store_settings(std::uint16_t port) const;
  leat::remote::settings store_settings() const { return store_settings(port()); }

  /// True if this process has started the store. Other stores have other error messages, or no
  /// error messages.
  bool is_started_here() const { return gateway_ != nullptr; }
  /// True if the store respects If-None-Match for an object of this size (LEAT_TEST_STORE_LACKS).
  static bool supports_exclusive(std::size_t size);

  /// Writes an object. If the object cannot be opened, fails the test. If the object cannot be
  /// written, throws leat::io_error.
  void put(std::string_view key, std::string_view content) const;
  // The store's content. If this process has started the gateway, get(), has() and open_uploads()
  // look into the gateway's folder, without any code under test.
  std::string get(std::string_view key) const;
  bool has(std::string_view key) const;
  /// The number of uploads that were begun and neither completed nor aborted.
  std::size_t open_uploads() const;

 private:
  void start_gateway();
  /// The path of an object's file in the gateway's folder.
  std::string file(std::string_view key) const { return folder_ / ("bucket/" + std::string(key)); }

  temporary_folder folder_;
  std::unique_ptr<server_process> gateway_;
  std::uint16_t port_ = 0;
};

/// Tests that need the store, and are skipped without it. leat's default settings lead to the
/// store.
class with_store : public testing::Test {
 protected:
  void SetUp() override {
    if (!store::is_available()) GTEST_SKIP() << "versitygw is missing: run scripts/setup test";
    leat::remote::set_defaults(test_store().store_settings());
  }
  static store& test_store() { return store::shared(); }
};

}  // namespace leat_test
