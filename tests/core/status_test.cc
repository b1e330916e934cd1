#include "liubai/status.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/macros.h"

namespace liubai {
namespace {

Status Fails() { return Status(StatusCode::kDataLoss, "bad magic"); }

Result<int> AddOne(Result<int> input) {
  LIUBAI_ASSIGN_OR_RETURN(const int value, std::move(input));
  return value + 1;
}

Status Forward() {
  LIUBAI_RETURN_IF_ERROR(Fails());
  return Status();
}

TEST(StatusTest, NamesItsCodeAndKeepsTheMessage) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().ToString(), "ok");
  EXPECT_EQ(Fails().ToString(), "data_loss: bad magic");
  EXPECT_EQ(Fails().WithContext("x.gguf").message(), "x.gguf: bad magic");
  EXPECT_TRUE(Status().WithContext("x").ok());
}

TEST(StatusTest, MacrosReturnTheFailure) {
  EXPECT_EQ(Forward(), Fails());
  EXPECT_EQ(AddOne(Fails()).status(), Fails());
  EXPECT_EQ(*AddOne(41), 42);
}

TEST(ResultTest, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(**result, 7);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

}  // namespace
}  // namespace liubai
