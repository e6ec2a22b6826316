// Exclusive writes by If-None-Match. Before leat relies on the header, leat tests whether the store
// respects the header: leat creates an empty object, the probe, twice.
#include "remote/conditions.hpp"

#include <gtest/gtest.h>
#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <string>

#include "remote/faulty_proxy.hpp"
#include "remote/store.hpp"

namespace {

using leat_test::connection_fault;

class conditions : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    leat::remote::forget_proven_buckets();
  }
  static std::error_code create_exclusive(const char* address) {
    std::error_code ec;
    auto out = leat::create(address, {.exclusive = true}, ec);
    if (!ec) out.close(ec);
    return ec;
  }
  /// The number of objects whose key begins with `prefix`.
  static std::size_t count(const std::string& prefix) {
    return leat::remote::list("s3://bucket/" + prefix, test_store().store_settings()).size();
  }
};

TEST_F(conditions, support_for_if_none_match_is_probed_once_and_the_probe_removed) {
  if (!test_store().supports_exclusive(0)) GTEST_SKIP() << "the store ignores If-None-Match";
  leat_test::faulty_proxy proxy(test_store().port());
  leat::remote::set_defaults(test_store().store_settings(proxy.port()));
  EXPECT_EQ(create_exclusive("s3://bucket/tried/one"), std::error_code());
  EXPECT_EQ(proxy.requests(), 5);  // a lookup; two PUTs and a removal of the probe; a PUT
  EXPECT_EQ(create_exclusive("s3://bucket/tried/two"), std::error_code());
  EXPECT_EQ(proxy.requests(), 7);
  EXPECT_EQ(create_exclusive("s3://bucket/tried/one"), std::errc::file_exists);
  EXPECT_EQ(count("tried/"), 2U);
}

TEST_F(conditions, a_store_that_ignores_if_none_match_is_an_error) {
  leat_test::faulty_proxy proxy(test_store().port());
  leat::remote::set_defaults(test_store().store_settings(proxy.port()));
  proxy.set_fault(connection_fault::no_condition, 0, true);
  for (int i = 0; i != 2; ++i) {
    const std::error_code ec = create_exclusive("s3://bucket/ignored/one");
    EXPECT_EQ(ec, std::errc::operation_not_supported);
    EXPECT_NE(ec.message().find("ignores If-None-Match"), std::string::npos) << ec.message();
    EXPECT_EQ(count("ignored/"), 0U);
  }
  // If the program says that the store respects the header, leat makes no probe.
  auto settings = test_store().store_settings(proxy.port());
  settings.keeps_conditions = true;
  leat::remote::set_defaults(settings);
  proxy.set_fault(connection_fault::none, 0, false);
  EXPECT_EQ(create_exclusive("s3://bucket/ignored/one"), std::error_code());
  EXPECT_EQ(proxy.requests(), 2);
}

/// Requests 1 to 3 (counted from 0) belong to the probe.
TEST_F(conditions, a_failed_probe_of_if_none_match_is_an_error) {
  leat_test::faulty_proxy proxy(test_store().port());
  leat::remote::set_defaults(test_store().store_settings(proxy.port()));
  for (const int request : {1, 2, 3}) {
    proxy.set_fault(connection_fault::status_403, request, false);
    const std::error_code ec = create_exclusive("s3://bucket/untried/one");
    EXPECT_EQ(ec, std::errc::permission_denied);
    EXPECT_NE(ec.message().find("keeps_conditions"), std::string::npos) << ec.message();
    EXPECT_EQ(leat::remote::answer_of(ec).status, 403);
    EXPECT_EQ(count("untried/"), request == 3 ? 1U : 0U)
        << "the probe remains only if its removal fails";
  }
}

TEST_F(conditions, if_none_match_is_not_probed_without_exclusive) {
  leat_test::faulty_proxy proxy(test_store().port());
  leat::remote::set_defaults(test_store().store_settings(proxy.port()));
  leat::create("s3://bucket/plain").close();
  EXPECT_EQ(proxy.requests(), 1);
}

}  // namespace
