#include "tools/demo_score.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/text.h"
#include "fmt/format.h"

namespace liubai::tools {

// Made from tools/demo/*.jsonl by the build.
extern const char kDemoConversation[];
extern const char kDemoLive[];
extern const char kDemoQuestions[];
extern const char kDemoFurtherQuestions[];

namespace {

std::string Normalise(std::string_view text) {
  std::string out;
  for (const char c : FoldNfkc(text)) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != ' ') {
      out.push_back(' ');
    }
  }
  // The apostrophe that people and models write in two ways.
  for (std::size_t at; (at = out.find("’")) != std::string::npos;) out.replace(at, 3, "'");
  return out;
}

Result<std::vector<nlohmann::json>> Lines(std::string_view text, std::string_view what) {
  std::vector<nlohmann::json> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    lines.push_back(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
    if (!lines.back().is_object()) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: question or turn {} is no JSON object", what, lines.size()));
    }
  }
  return lines;
}

}  // namespace

std::string_view DemoConversation() { return kDemoConversation; }

Result<std::vector<std::string>> DemoLiveTurns() {
  const auto lines = Lines(kDemoLive, "live.jsonl");
  if (!lines.ok()) return lines.status();
  std::vector<std::string> turns;
  for (const nlohmann::json& line : *lines) turns.push_back(line.value("content", ""));
  return turns;
}

Result<std::vector<DemoQuestion>> ParseDemoQuestions(std::string_view text, std::string_view name) {
  const auto lines = Lines(text, name);
  if (!lines.ok()) return lines.status();
  std::vector<DemoQuestion> questions;
  for (const nlohmann::json& line : *lines) {
    const auto invalid = [&](std::string_view what) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("{}: question {}: {}", name, questions.size() + 1, what));
    };
    DemoQuestion question;
    try {
      question.question = line.at("question").get<std::string>();
      question.answerable = line.value("answerable", true);
      question.accept = line.value("accept", std::vector<std::string>());
      question.forbid = line.value("forbid", std::vector<std::string>());
      question.session = line.value("session", std::string());
      for (const std::string& pattern : question.forbid) std::regex(Normalise(pattern));
    } catch (const nlohmann::json::exception&) {
      return invalid(
          "it needs \"question\", a text, and may have \"answerable\", true or false, "
          "\"session\", a text, and \"accept\" and \"forbid\", lists of texts");
    } catch (const std::regex_error& error) {
      return invalid(fmt::format("\"forbid\" holds no regular expression: {}", error.what()));
    }
    if (question.question.empty()) return invalid("\"question\" is empty");
    if (question.answerable && question.accept.empty()) {
      return invalid("\"accept\" is empty: no answer could be right");
    }
    questions.push_back(std::move(question));
  }
  if (questions.empty()) {
    return Status(StatusCode::kInvalidArgument, fmt::format("{}: no question is in it", name));
  }
  return questions;
}

Result<std::vector<DemoQuestion>> DemoQuestions() {
  return ParseDemoQuestions(kDemoQuestions, "questions.jsonl");
}

Result<std::vector<DemoQuestion>> DemoFurtherQuestions() {
  return ParseDemoQuestions(kDemoFurtherQuestions, "further_questions.jsonl");
}

bool SaysUnknown(std::string_view answer) {
  static constexpr std::string_view kPhrases[] = {"don't know",
                                                  "do not know",
                                                  "not mentioned",
                                                  "not been mentioned",
                                                  "no information",
                                                  "don't have",
                                                  "do not have",
                                                  "cannot",
                                                  "can't",
                                                  "not provided",
                                                  "not specified",
                                                  "never said",
                                                  "never told",
                                                  "never mentioned",
                                                  "haven't told",
                                                  "have not told",
                                                  "isn't mentioned",
                                                  "no record",
                                                  "unknown",
                                                  "not available",
                                                  "not sure",
                                                  "unable to",
                                                  "doesn't say",
                                                  "does not say",
                                                  "not stated",
                                                  "不知道",
                                                  "没有提",
                                                  "未提",
                                                  "没有提供",
                                                  "无法",
                                                  "不清楚",
                                                  "没有记录",
                                                  "没有说",
                                                  "没说过",
                                                  "未知",
                                                  "没有相关",
                                                  "没有找到",
                                                  "找不到",
                                                  "不确定",
                                                  "没有关于",
                                                  "没有告诉",
                                                  "没有信息",
                                                  "没提",
                                                  "不能确定"};
  const std::string text = Normalise(answer);
  return std::ranges::any_of(
      kPhrases, [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

bool IsRight(const DemoQuestion& question, std::string_view answer) {
  const std::string text = Normalise(answer);
  for (const std::string& pattern : question.forbid) {
    if (std::regex_search(text, std::regex(Normalise(pattern)))) return false;
  }
  if (!question.answerable) return SaysUnknown(answer);
  return std::ranges::any_of(question.accept, [&](const std::string& accepted) {
    return text.find(Normalise(accepted)) != std::string::npos;
  });
}

}  // namespace liubai::tools
