// The private objects of a measurement in object storage, and the removal of the objects.
#include "measuring/scratch_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <leat/leat.hpp>

#include <memory>

#include "remote/store.hpp"

namespace bench {
namespace {

using ::testing::StartsWith;

class scratch_objects_test : public leat_test::with_store {
 protected:
  static std::vector<std::string> addresses() {
    std::vector<std::string> all;
    for (const auto& one : leat::remote::list("s3://bucket/scratch")) all.push_back(one.address);
    return all;
  }
};

TEST_F(scratch_objects_test, have_unique_names_and_are_removed_at_the_end) {
  {
    scratch_objects one("s3://bucket/scratch"), other("s3://bucket/scratch/");
    EXPECT_THAT(one.address(), StartsWith("s3://bucket/scratch/leat-bench-"));
    EXPECT_THAT(other.address(), StartsWith("s3://bucket/scratch/leat-bench-"));
    EXPECT_NE(one.address(), other.address());
    EXPECT_THAT(leat::read_file(one.address() + "made-by-leat-bench"), StartsWith("`leat bench`"));
    auto object = leat::create(one.address() + "a/b");
    object.write("x");
    object.close();
    EXPECT_EQ(addresses().size(), 3u);
    one.clear();
    EXPECT_EQ(addresses().size(), 2u);
  }
  EXPECT_TRUE(addresses().empty());
}

TEST_F(scratch_objects_test, abort_uploads_that_are_never_completed) {
  auto objects = std::make_unique<scratch_objects>("s3://bucket/scratch");
  auto out = leat::create(objects->address() + "large");
  out.write(std::string(std::size_t{40} << 20, 'x'));
  out.sync();  // a part that is still being sent could arrive after the abort of the upload
  EXPECT_FALSE(leat::remote::uploads(objects->address()).empty());
  const auto address = objects->address();
  objects.reset();
  EXPECT_TRUE(leat::remote::uploads(address).empty());
  out.discard();
}

TEST_F(scratch_objects_test, in_a_missing_bucket_are_an_error) {
  EXPECT_THROW(scratch_objects("s3://nowhere/scratch"), leat::io_error);
}

TEST(is_store, distinguishes_addresses_from_folders) {
  EXPECT_TRUE(is_store("s3://bucket"));
  EXPECT_TRUE(is_store("S3://bucket"));
  EXPECT_FALSE(is_store("s3"));
  EXPECT_FALSE(is_store("/s3://bucket"));
}

}  // namespace
}  // namespace bench
