// Operations on a store while requests fail: the result is right, or the operation reports one
// error in limited time. Each fault up to error_in_success meets each request of each operation,
// alone or with all later requests. By default, a random sample of these combinations runs.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "remote/conditions.hpp"
#include "remote/faulty_proxy.hpp"
#include "remote/store.hpp"
#include "support/loss_recorder.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::connection_fault;

/// An operation. `prepare` is called before each run, without faults. `run` returns whether the
/// operation reported success, and checks what was read. `check` then checks what is in the store,
/// again without faults.
struct operation {
  const char* name;
  std::function<void()> prepare;
  std::function<bool(std::error_code&)> run;
  std::function<void(bool success)> check;
};

class remote_faults : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    // A proxy that makes faults is between the tests and the server.
    proxy_ = std::make_unique<leat_test::faulty_proxy>(test_store().port());
    settings_ = test_store().store_settings(proxy_->port());
    settings_.retries = 2;
    settings_.first_pause = 1ms;
    settings_.deadline = 5s;
    leat::remote::set_defaults(settings_);
  }

  /// Runs the operation with each fault at each of its requests. If there are more than `most`
  /// combinations, runs a random sample of about `most` combinations. LEAT_ALL_FAULTS=1 runs all
  /// combinations.
  void sweep(const operation& tested) {
    const leat_test::loss_recorder losses;
    proxy_->set_fault(connection_fault::none, 0, false);
    tested.prepare();
    std::error_code ec;
    proxy_->set_fault(connection_fault::none, 0, false);
    ASSERT_TRUE(tested.run(ec)) << tested.name << ": " << ec.message();
    tested.check(true);
    const int requests = proxy_->requests();
    ASSERT_GT(requests, 0);
    constexpr int most = 40;
    const int all = leat_test::connection_fault_count * requests * 2;
    const bool samples = all > most && std::getenv("LEAT_ALL_FAULTS") == nullptr;
    std::minstd_rand random(std::random_device{}());
    int successes = 0, failures = 0;
    for (int fault = 1; fault <= leat_test::connection_fault_count; ++fault) {
      for (int number = 0; number != requests; ++number) {
        for (const bool lasts : {false, true}) {
          if (samples && random() % static_cast<unsigned>(all) >= most) continue;
          proxy_->set_fault(connection_fault::none, 0, false);
          tested.prepare();
          proxy_->set_fault(static_cast<connection_fault>(fault), number, lasts);
          const auto begin = std::chrono::steady_clock::now();
          const bool success = tested.run(ec);
          const auto taken = std::chrono::steady_clock::now() - begin;
          SCOPED_TRACE(testing::Message()
                       << tested.name << ", fault " << fault << " at request " << number
                       << (lasts ? " and on" : "") << ": " << (ec ? ec.message() : "success"));
          EXPECT_LT(taken, 8s);
          EXPECT_EQ(success, !ec);
          EXPECT_FALSE(ec && ec.message().empty());
          (success ? successes : failures)++;
          proxy_->set_fault(connection_fault::none, 0, false);
          tested.check(success);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
    // A sweep without any success, or without any failure, tested too little.
    EXPECT_GT(successes, 0) << tested.name;
    EXPECT_GT(failures, 0) << tested.name;
    if (!samples)
      std::printf("%s: %d requests, %d runs with a fault, %d failures\n", tested.name, requests,
                  successes + failures, failures);
  }

  std::unique_ptr<leat_test::faulty_proxy> proxy_;
  leat::remote::settings settings_;
};

std::string some_text(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = random() % 60 == 0 ? '\n' : static_cast<char>('a' + random() % 26);
  return text;
}

TEST_F(remote_faults, in_reads_end_in_success_or_one_error) {
  const std::string text = some_text(3 << 20, 1);
  test_store().put("read", text);
  sweep({"read", [] {},
         [&](std::error_code& ec) {
           auto in = leat::open("s3://bucket/read", ec);
           if (ec) return false;
           const std::string got = in.read_all(ec);
           EXPECT_TRUE(ec || got == text);
           EXPECT_TRUE(text.starts_with(got));
           return !ec;
         },
         [](bool) {}});
}

TEST_F(remote_faults, in_gathers_end_in_success_or_one_error) {
  std::vector<std::uint32_t> numbers(1 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  test_store().put("gather", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  std::vector<std::uint32_t> positions;
  std::minstd_rand random(5);
  for (int i = 0; i != 20; ++i)
    positions.push_back(static_cast<std::uint32_t>(random() % (1U << 20U)));
  sweep({"gather", [] {},
         [&](std::error_code& ec) {
           const auto file =
               leat::records<std::uint32_t>::open("s3://bucket/gather", leat::mode::read, {}, ec);
           if (ec) return false;
           std::vector<std::uint32_t> got(positions.size());
           file.gather(positions, got, ec);
           EXPECT_TRUE(ec || got == positions);
           return !ec;
         },
         [](bool) {}});
}

/// Sweeps over a write. The write replaces an old object. After a failure, the object has the old
/// or the new content. If `exclusive`, the write creates an object.
void write_over(std::size_t size, bool exclusive, const leat_test::store& store,
                const std::function<void(const operation&)>& sweep) {
  const std::string before = "the old content", text = some_text(size, 2);
  sweep({"write",
         [&] {
           if (!exclusive) return store.put("write", before);
           leat::remote::remove("s3://bucket/write");
           leat::remote::forget_proven_buckets();  // so that each run probes the store again
         },
         [&](std::error_code& ec) {
           auto out = leat::create("s3://bucket/write", {.exclusive = exclusive}, ec);
           if (ec) return false;
           out.write(text);
           out.close(ec);
           return !ec;
         },
         [&](bool success) {
           const auto objects =
               leat::remote::list("s3://bucket/write", store.store_settings()).size();
           EXPECT_LE(objects, success ? 1U : 2U)
               << "more than the object, or after a failure the object and the probe";
           for (const auto& left : leat::remote::list("s3://bucket/write.", store.store_settings()))
             leat::remote::remove(left.address, store.store_settings());
           if (!store.has("write")) {
             EXPECT_TRUE(exclusive && !success) << "the object is gone";
             return;
           }
           const std::string now = store.get("write");
           // The response may have been lost, so a failed operation may have written everything.
           EXPECT_TRUE(now == text || (!success && !exclusive && now == before));
         }});
}

TEST_F(remote_faults, in_writes_of_small_objects_end_in_success_or_one_error) {
  write_over(1000, false, test_store(), [this](const operation& tested) { sweep(tested); });
}

TEST_F(remote_faults, in_exclusive_writes_of_small_objects_end_in_success_or_one_error) {
  if (!test_store().supports_exclusive(0)) GTEST_SKIP() << "the store ignores If-None-Match";
  write_over(1000, true, test_store(), [this](const operation& tested) { sweep(tested); });
}

TEST_F(remote_faults, in_writes_of_parts_end_in_success_or_one_error) {
  write_over(17 << 20, false, test_store(), [this](const operation& tested) { sweep(tested); });
}

TEST_F(remote_faults, in_exclusive_writes_of_parts_end_in_success_or_one_error) {
  if (!test_store().supports_exclusive(0)) GTEST_SKIP() << "the store ignores If-None-Match";
  write_over(9 << 20, true, test_store(), [this](const operation& tested) { sweep(tested); });
}

TEST_F(remote_faults, in_lists_end_in_success_or_one_error) {
  for (const char* key : {"listed/a", "listed/b"}) test_store().put(key, "x");
  sweep({"list", [] {},
         [](std::error_code& ec) {
           const auto all = leat::remote::list("s3://bucket/listed/", leat::remote::defaults(), ec);
           EXPECT_TRUE(ec || all.size() == 2);
           return !ec;
         },
         [](bool) {}});
}

TEST_F(remote_faults, in_removals_end_in_success_or_one_error) {
  sweep({"remove", [&] { test_store().put("removed", "x"); },
         [](std::error_code& ec) {
           leat::remote::remove("s3://bucket/removed", leat::remote::defaults(), ec);
           return !ec;
         },
         [&](bool success) { EXPECT_TRUE(!success || !test_store().has("removed")); }});
}

/// The server sends nothing, or single bytes of a head without an end.
TEST_F(remote_faults, of_a_silent_server_end_at_the_deadline) {
  test_store().put("quiet", some_text(1 << 20, 1));
  settings_.deadline = 300ms;
  leat::remote::set_defaults(settings_);
  for (const auto fault : {connection_fault::silence, connection_fault::drip}) {
    proxy_->set_fault(fault, 0, true);
    std::error_code ec;
    const auto begin = std::chrono::steady_clock::now();
    const auto in = leat::open("s3://bucket/quiet", ec);
    EXPECT_EQ(ec, std::errc::timed_out) << ec.message();
    // The deadline grows by 1 s for each 256 KiB of content.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  }
}

}  // namespace
