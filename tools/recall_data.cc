#include "tools/recall_data.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "core/file_system.h"
#include "core/hash.h"
#include "core/macros.h"
#include "core/text.h"
#include "memory/month_names.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

Status Malformed(const std::string& what) { return Status(StatusCode::kDataLoss, what); }

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? RepairUtf8(found->get<std::string>()) : "";
}

// A text, or a number as it is written.
std::string TextOrNumber(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->dump() : Text(object, key);
}

std::string WithoutNul(std::string text) {
  std::erase(text, '\0');
  return text;
}

Result<std::int64_t> Time(int y, unsigned m, unsigned d, int hour, int minute,
                          std::string_view text) {
  const std::chrono::year_month_day date{std::chrono::year(y), std::chrono::month(m),
                                         std::chrono::day(d)};
  if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59) {
    return Malformed(fmt::format("'{}' is not a time", text));
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60000;
}

// The published file has ten conversations; halves of it keep their numbers.
int ConversationNumber(const std::string& sample_id, int position) {
  static constexpr std::string_view kPublished[] = {"conv-26", "conv-30", "conv-41", "conv-42",
                                                    "conv-43", "conv-44", "conv-47", "conv-48",
                                                    "conv-49", "conv-50"};
  for (int i = 0; i < 10; ++i) {
    if (sample_id == kPublished[i]) return i;
  }
  return position;
}

struct Correction {
  std::string question;
  std::vector<std::string> evidence;
  std::string answer;
};

void AddIds(const json& evidence, std::vector<std::string>& ids) {
  if (evidence.is_string()) {
    for (std::string& id : FindDialogIds(evidence.get<std::string>())) ids.push_back(std::move(id));
  } else if (evidence.is_array()) {
    for (const json& element : evidence) AddIds(element, ids);
  }
}

// Those that exist, each once; counts the others.
std::vector<std::string> Usable(const std::vector<std::string>& ids,
                                const std::unordered_set<std::string>& known,
                                std::int64_t* unknown) {
  std::vector<std::string> usable;
  for (const std::string& id : ids) {
    if (!known.contains(id)) {
      if (unknown != nullptr) ++*unknown;
    } else if (std::find(usable.begin(), usable.end(), id) == usable.end()) {
      usable.push_back(id);
    }
  }
  return usable;
}

}  // namespace

Result<std::string> ReadMaybeCompressed(const std::string& path, std::uint64_t limit_bytes) {
  if (!path.ends_with(".gz")) return ReadFile(PosixFileSystem(), path, limit_bytes);
  if (!PosixFileSystem().Exists(path)) {
    return Status(StatusCode::kNotFound, fmt::format("{} does not exist", path));
  }
  const std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) return Status(StatusCode::kPermissionDenied, fmt::format("{} cannot be opened", path));
  std::string text;
  std::string piece(1 << 20, '\0');
  while (true) {
    const int got = gzread(file.get(), piece.data(), static_cast<unsigned>(piece.size()));
    if (got < 0) {
      int code = 0;
      return Malformed(fmt::format("{}: {}", path, gzerror(file.get(), &code)));
    }
    if (got == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > limit_bytes) {
      return Status(StatusCode::kResourceExhausted,
                    fmt::format("{} unpacks to more than {} bytes", path, limit_bytes));
    }
  }
  int code = Z_OK;
  (void)gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END) return Malformed(fmt::format("{} is cut short", path));
  return text;
}

std::vector<std::string> FindDialogIds(std::string_view text) {
  // D:?(\d+):(\d+)
  std::vector<std::string> ids;
  const auto Digits = [&](std::size_t& at) -> std::int64_t {
    std::int64_t value = -1;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      if (value < 1000000) value = std::max<std::int64_t>(value, 0) * 10 + (text[at] - '0');
    }
    return value;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 'D') continue;
    std::size_t at = i + 1;
    if (at < text.size() && text[at] == ':') ++at;
    const std::int64_t session = Digits(at);
    if (session < 0 || at >= text.size() || text[at] != ':') continue;
    ++at;
    const std::int64_t turn = Digits(at);
    if (turn < 0) continue;
    ids.push_back(fmt::format("D{}:{}", session, turn));
    i = at - 1;
  }
  return ids;
}

Result<std::int64_t> ParseLocomoTime(std::string_view text) {
  const std::string copy(text);
  int hour = 0, minute = 0, d = 0, y = 0;
  char half[3] = {}, name[16] = {};
  if (std::sscanf(copy.c_str(), "%d:%d %2[apm] on %d %15[A-Za-z], %d", &hour, &minute, half, &d,
                  name, &y) != 6 ||
      hour < 1 || hour > 12) {
    return Malformed(fmt::format("'{}' is not a time such as '1:56 pm on 8 May, 2023'", text));
  }
  const auto found = std::find(std::begin(memory::kMonthNames), std::end(memory::kMonthNames),
                               std::string_view(name));
  const unsigned m = static_cast<unsigned>(found - std::begin(memory::kMonthNames)) + 1;
  hour = hour % 12 + (std::string_view(half) == "pm" ? 12 : 0);
  return Time(y, m, static_cast<unsigned>(std::max(0, d)), hour, minute, text);
}

Result<std::int64_t> ParseLongMemTime(std::string_view text) {
  const std::string copy(text);
  int y = 0, m = 0, d = 0, hour = 0, minute = 0;
  if (std::sscanf(copy.c_str(), "%d/%d/%d (%*[A-Za-z]) %d:%d", &y, &m, &d, &hour, &minute) != 5) {
    return Malformed(fmt::format("'{}' is not a time such as '2023/05/30 (Tue) 23:40'", text));
  }
  return Time(y, static_cast<unsigned>(std::max(0, m)), static_cast<unsigned>(std::max(0, d)), hour,
              minute, text);
}

Result<LocomoData> ParseLocomo(std::string_view text, std::string_view corrections_json) {
  std::map<std::string, Correction> corrections;
  if (!corrections_json.empty()) {
    const json list = json::parse(corrections_json, nullptr, false);
    if (!list.is_array()) return Malformed("the corrections are not a JSON array");
    for (const json& entry : list) {
      if (!entry.is_object()) continue;
      Correction correction;
      correction.question = Text(entry, "question");
      if (entry.contains("correct_evidence")) {
        AddIds(entry["correct_evidence"], correction.evidence);
      }
      correction.answer = WithoutNul(TextOrNumber(entry, "correct_answer"));
      if (!correction.evidence.empty() || !correction.answer.empty())
        corrections[Text(entry, "question_id")] = std::move(correction);
    }
  }
  const json root = json::parse(text, nullptr, false);
  if (!root.is_array()) return Malformed("LoCoMo is not a JSON array");
  LocomoData data;
  for (const json& sample : root) {
    const std::string where = fmt::format("conversation {}", data.conversations.size());
    if (!sample.is_object() || !sample.contains("conversation") ||
        !sample["conversation"].is_object() || !sample.contains("qa") || !sample["qa"].is_array()) {
      return Malformed(where + " lacks 'conversation' or 'qa'");
    }
    LocomoConversation conversation;
    conversation.sample_id = Text(sample, "sample_id");
    const json& source = sample["conversation"];
    std::unordered_set<std::string> known;
    std::set<int> numbers;
    for (const auto& [key, value] : source.items()) {
      if (!key.starts_with("session_")) continue;
      const std::string rest = key.substr(8);
      const int number = std::atoi(rest.c_str());
      if (number <= 0) continue;
      if (value.is_array() && rest == std::to_string(number)) {
        numbers.insert(number);
      } else if (rest.ends_with("_date_time") &&
                 !source.contains(fmt::format("session_{}", number))) {
        ++data.dates_without_session;
      }
    }
    for (const int number : numbers) {
      LocomoSession session;
      session.number = number;
      const std::string date = Text(source, fmt::format("session_{}_date_time", number).c_str());
      Result<std::int64_t> time = ParseLocomoTime(date);
      if (!time.ok())
        return time.status().WithContext(fmt::format("{}, session {}", where, number));
      session.time_ms = *time;
      for (const json& element : source[fmt::format("session_{}", number)]) {
        if (!element.is_object())
          return Malformed(fmt::format("{}, session {}: a turn is no object", where, number));
        LocomoTurn turn;
        const std::vector<std::string> ids = FindDialogIds(Text(element, "dia_id"));
        if (ids.empty())
          return Malformed(fmt::format("{}, session {}: a turn without dia_id", where, number));
        turn.dia_id = ids.front();
        turn.speaker = WithoutNul(Text(element, "speaker"));
        turn.text = WithoutNul(Text(element, "text"));
        const std::string caption = WithoutNul(Text(element, "blip_caption"));
        if (!caption.empty())
          turn.text += (turn.text.empty() ? "[shares " : " [shares ") + caption + "]";
        known.insert(turn.dia_id);
        session.turns.push_back(std::move(turn));
      }
      conversation.sessions.push_back(std::move(session));
    }
    const int index =
        ConversationNumber(conversation.sample_id, static_cast<int>(data.conversations.size()));
    int number = 0;
    for (const json& element : sample["qa"]) {
      LocomoQuestion question;
      question.id = fmt::format("locomo_{}_qa{}", index, number++);
      ++data.questions;
      if (!element.is_object()) return Malformed(question.id + " is no object");
      question.text = WithoutNul(Text(element, "question"));
      question.answer = WithoutNul(TextOrNumber(element, "answer"));
      question.corrected_answer = question.answer;
      question.category = element.contains("category") && element["category"].is_number_integer()
                              ? element["category"].get<int>()
                              : 0;
      std::vector<std::string> ids;
      if (element.contains("evidence")) AddIds(element["evidence"], ids);
      question.evidence = Usable(ids, known, &data.unknown_ids);
      question.corrected = question.evidence;
      const auto correction = corrections.find(question.id);
      // Numbers may shift between editions of the file; the question's own words do not.
      if (correction != corrections.end() && correction->second.question == question.text) {
        if (!correction->second.answer.empty()) {
          question.corrected_answer = correction->second.answer;
        }
        const std::vector<std::string> corrected =
            Usable(correction->second.evidence, known, nullptr);
        if (!corrected.empty() && corrected != question.evidence) {
          question.corrected = corrected;
          ++data.corrections;
        }
      }
      if (question.evidence.empty()) ++data.without_evidence;
      conversation.questions.push_back(std::move(question));
    }
    data.conversations.push_back(std::move(conversation));
  }
  return data;
}

Result<std::vector<std::string_view>> SplitJsonArray(std::string_view text) {
  std::vector<std::string_view> elements;
  std::size_t depth = 0, begin = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (depth == 0 && c != '[') return Malformed("not a JSON array");
      if (depth == 1) {
        if (c != '{') return Malformed("an element of the JSON array is no object");
        begin = i;
      }
      ++depth;
    } else if (c == ']' || c == '}') {
      if (depth == 0) return Malformed(fmt::format("an unmatched '{}' at byte {}", c, i));
      if (--depth == 1) elements.push_back(text.substr(begin, i + 1 - begin));
    }
  }
  if (depth != 0 || in_string) return Malformed("the JSON array is cut short");
  return elements;
}

Result<LongMemQuestion> ParseLongMemQuestion(std::string_view text) {
  const json source = json::parse(text, nullptr, false);
  if (!source.is_object()) return Malformed("a question is no JSON object");
  LongMemQuestion question;
  question.id = Text(source, "question_id");
  question.type = Text(source, "question_type");
  question.text = WithoutNul(Text(source, "question"));
  question.answer = WithoutNul(TextOrNumber(source, "answer"));
  question.abstention = question.id.ends_with("_abs");
  Result<std::int64_t> asked = ParseLongMemTime(Text(source, "question_date"));
  if (!asked.ok()) return asked.status().WithContext(question.id);
  question.time_ms = *asked;
  for (const char* key :
       {"haystack_session_ids", "haystack_dates", "haystack_sessions", "answer_session_ids"}) {
    if (!source.contains(key) || !source[key].is_array()) {
      return Malformed(fmt::format("question {}: '{}' is no array", question.id, key));
    }
  }
  const json &ids = source["haystack_session_ids"], &dates = source["haystack_dates"],
             &sessions = source["haystack_sessions"];
  if (ids.size() != sessions.size() || dates.size() != sessions.size()) {
    return Malformed(fmt::format("question {}: {} ids, {} dates and {} sessions", question.id,
                                 ids.size(), dates.size(), sessions.size()));
  }
  std::unordered_set<std::string> answers;
  for (const json& id : source["answer_session_ids"]) {
    if (id.is_string()) answers.insert(id.get<std::string>());
  }
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (!ids[i].is_string() || !dates[i].is_string() || !sessions[i].is_array()) {
      return Malformed(fmt::format("question {}: session {} is malformed", question.id, i));
    }
    const std::string id = ids[i].get<std::string>();
    if (!seen.insert(id).second) {
      ++question.repeated_sessions;
      continue;
    }
    LongMemSession session;
    session.hashed_id = Sha256Hex(id).substr(0, 16);
    session.evidence = answers.contains(id);
    Result<std::int64_t> time = ParseLongMemTime(dates[i].get<std::string>());
    if (!time.ok())
      return time.status().WithContext(fmt::format("question {}, session {}", question.id, i));
    session.time_ms = *time;
    for (const json& element : sessions[i]) {
      if (!element.is_object())
        return Malformed(fmt::format("question {}: a turn is no object", question.id));
      LongMemTurn turn;
      turn.user = Text(element, "role") == "user";
      turn.text = WithoutNul(Text(element, "content"));
      turn.evidence = element.value("has_answer", json(false)) == json(true);
      if (turn.evidence && turn.user) question.evidence_in_user_turn = true;
      session.turns.push_back(std::move(turn));
    }
    question.sessions.push_back(std::move(session));
  }
  std::stable_sort(
      question.sessions.begin(), question.sessions.end(),
      [](const LongMemSession& a, const LongMemSession& b) { return a.time_ms < b.time_ms; });
  return question;
}

}  // namespace liubai::tools
