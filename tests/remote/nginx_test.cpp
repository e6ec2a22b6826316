// nginx in front of the store answers some requests with 503 or 500, or cuts the connection. All
// operations continue, and their results are right.
#include "remote/nginx.hpp"

#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/remote.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "remote/store.hpp"
#include "support/files.hpp"

namespace {

using namespace std::chrono_literals;
using leat_test::nginx;

class objects_behind_nginx : public leat_test::with_store {
 protected:
  void SetUp() override {
    with_store::SetUp();
    if (IsSkipped()) return;
    if (!nginx::is_installed()) GTEST_SKIP() << "nginx is missing: run scripts/setup test";
    serve("split_clients $request_id $fault { 8% 503; 8% 500; 8% 444; * none; }\n",
          "if ($fault = 503) { return 503; }\n"
          "if ($fault = 500) { return 500; }\n"
          "if ($fault = 444) { return 444; }\n",
          20);  // the probability of 21 faults in a row is 10^-13
  }

  void serve(const std::string& before, const std::string& inside, unsigned retries) {
    front_ = std::make_unique<nginx>(
        before + "server { listen ADDRESS; location / {" + inside + nginx::proxy_to_store + "} }\n",
        test_store().port());
    auto settings = test_store().store_settings(front_->port());
    settings.retries = retries;
    settings.first_pause = 1ms;
    leat::remote::set_defaults(settings);
  }

  /// Repeats `work` until each fault has happened, at most 1000 times.
  void with_faults(const std::function<void()>& work) {
    const auto all_happened = [this] {
      return front_->responses(503) > 0 && front_->responses(500) > 0 && front_->responses(444) > 0;
    };
    for (int rounds = 0; rounds != 1000 && !HasFailure(); ++rounds) {
      work();
      if (all_happened()) return;
    }
    EXPECT_TRUE(all_happened()) << front_->responses() << " responses, but not one of each fault";
  }

  std::unique_ptr<nginx> front_;
};

TEST_F(objects_behind_nginx, are_read) {
  const std::string text = leat_test::numbered_text(5 << 20);
  test_store().put("text", text);
  with_faults([&] { EXPECT_TRUE(leat::read_file("s3://bucket/text") == text); });
}

TEST_F(objects_behind_nginx, records_of_an_object_can_be_gathered) {
  std::vector<std::uint32_t> numbers(4 << 20);
  for (std::size_t i = 0; i != numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  test_store().put("numbers", {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4});
  std::minstd_rand random(3);
  with_faults([&] {
    const auto file = leat::records<std::uint32_t>::open("s3://bucket/numbers", leat::mode::read,
                                                         {.access = {.gap = 4096}});
    std::vector<std::uint32_t> positions(100), got(100);
    for (auto& position : positions)
      position = static_cast<std::uint32_t>(random() % numbers.size());
    file.gather(positions, got);
    EXPECT_EQ(got, positions);
  });
}

TEST_F(objects_behind_nginx, are_written_in_parts) {
  const std::size_t uploads = test_store().open_uploads();
  const std::string text = leat_test::numbered_text(17 << 20);
  with_faults([&] {
    auto out = leat::create("s3://bucket/parts");
    out.write(text);
    out.close();
    EXPECT_TRUE(test_store().get("parts") == text);
  });
  EXPECT_EQ(test_store().open_uploads(), uploads);
}

TEST_F(objects_behind_nginx, are_written_in_one_request_and_removed) {
  int number = 0;
  with_faults([&] {
    const std::string text = "the content " + std::to_string(++number);
    leat::write_file("s3://bucket/small", text);
    EXPECT_EQ(test_store().get("small"), text);
    leat::remote::remove("s3://bucket/small");
    EXPECT_FALSE(test_store().has("small"));
  });
}

TEST_F(objects_behind_nginx, are_listed) {
  for (const char* const key : {"some/1", "some/2", "some/3"}) test_store().put(key, key);
  with_faults([&] {
    std::vector<std::string> got;
    for (const auto& one : leat::remote::list("s3://bucket/some/")) got.push_back(one.address);
    EXPECT_EQ(got, (std::vector<std::string>{"s3://bucket/some/1", "s3://bucket/some/2",
                                             "s3://bucket/some/3"}));
  });
}

/// A server that announces the end of a connection causes no error.
TEST_F(objects_behind_nginx, are_transferred_if_the_server_often_closes_connections) {
  serve("keepalive_requests 2;\n", "", 0);
  const std::string text = leat_test::numbered_text(5 << 20);
  test_store().put("text", text);
  EXPECT_TRUE(leat::read_file("s3://bucket/text") == text);
  leat::write_file("s3://bucket/copy", text);
  EXPECT_EQ(leat::remote::list("s3://bucket/copy").size(), 1U);
}

TEST_F(objects_behind_nginx, are_read_after_the_server_has_closed_idle_connections) {
  serve("keepalive_timeout 20ms;\n", "", 2);
  test_store().put("text", "text");
  for (int i = 0; i != 5; ++i) {
    EXPECT_EQ(leat::read_file("s3://bucket/text"), "text");
    std::this_thread::sleep_for(60ms);
  }
}

}  // namespace
