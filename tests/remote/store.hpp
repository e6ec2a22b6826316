// A real store for the tests: versitygw, a gateway of S3 over a folder, on loopback.
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
  /// Starts it with an empty bucket named "bucket".
  store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// False if the gateway is not installed (scripts/setup test).
  static bool is_installed();
  /// The one of this process.
  static store& running();

  std::uint16_t port() const { return gateway_->port(); }
  /// How it is reached, by another port too.
  leat::remote::settings how(std::uint16_t port) const;
  leat::remote::settings how() const { return how(port()); }

  /// Below the store: the file of an object.
  std::string file(std::string_view key) const { return folder_ / ("bucket/" + std::string(key)); }
  void put(std::string_view key, std::string_view content) const;
  /// What the store answers for the object, by libcurl's command line's own way: a plain GET of
  /// ours.
  std::string get(std::string_view key) const;
  bool has(std::string_view key) const;
  /// Uploads that were begun and neither completed nor aborted.
  std::size_t open_uploads() const;

 private:
  temporary_folder folder_;
  std::unique_ptr<server_process> gateway_;
};

/// Tests that need the store. Their objects go by the defaults.
class with_store : public testing::Test {
 protected:
  void SetUp() override {
    if (!store::is_installed()) GTEST_SKIP() << "there is no versitygw: scripts/setup test";
    leat::remote::set_defaults(at().how());
  }
  static store& at() { return store::running(); }
};

}  // namespace leat_test
