// liubai inspect question: what the search makes of a question, or of a turn.
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "memory/jsonl.h"
#include "memory/question.h"
#include "tools/commands.h"

namespace liubai::tools {
namespace {

using memory::FormatMinute;
using memory::QuestionReading;
using memory::TimeExpression;

class InspectQuestion final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("TEXT", &text_, true, "a question, or with --turn what somebody says");
    flags.Text("--at", "TIME", &at_, "when it is said: 2023-06-14T10:00:00Z (default: now)");
    flags.Integer("--utc-offset", "MINUTES", &offset_, -1440, 1440,
                  "the clock of whoever says it, in minutes east of UTC (default: 0)");
    flags.TextList("--speaker", "NAME", &speakers_, "a name known from the conversation");
    flags.Switch("--turn", &turn_, "only the times, as a turn's own sentences mean them");
  }

  Status Run(Invocation& call, std::stop_token) override {
    LIUBAI_RETURN_IF_ERROR(CheckText(text_, "TEXT"));
    std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    if (!at_.empty()) {
      const std::optional<std::int64_t> at = memory::ParseTime(at_);
      if (!at) {
        return call.UsageError(fmt::format(
            "liubai inspect question: --at {} is no time; 2023-06-14T10:00:00Z is one", at_));
      }
      now = *at;
    }
    QuestionReading reading;
    if (turn_) {
      reading.times = memory::TimeExpressionsInTurn(text_, now, offset_);
    } else {
      reading = memory::ReadQuestion(text_, now, speakers_, offset_);
    }
    call.json() ? call.PrintJson(Json(reading)) : Show(call, reading);
    return {};
  }

  std::string Part(memory::TextPart part) const {
    return text_.substr(part.begin, part.end - part.begin);
  }

  nlohmann::json Json(const QuestionReading& reading) const {
    using nlohmann::json;
    json times = json::array();
    for (const TimeExpression& time : reading.times) {
      times.push_back({{"text", Part(time.text)},
                       {"from_ms", time.range.from_ms},
                       {"to_ms", time.range.to_ms},
                       {"about", time.range.about},
                       {"precision", TimePrecisionName(time.precision)},
                       {"relation", TimeRelationName(time.relation)},
                       {"relative", time.relative}});
    }
    json object = {{"times", times}};
    if (turn_) return object;
    const auto List = [](const auto& items, const auto& tell) {
      json list = json::array();
      for (const auto& item : items) list.push_back(tell(item));
      return list;
    };
    object["asked"] = AskedForName(reading.asked);
    object["traits"] = Traits(reading);
    object["impossible_dates"] =
        List(reading.impossible_dates, [&](memory::TextPart part) { return Part(part); });
    object["names"] = List(reading.names, [](const memory::QuestionName& name) {
      return json{{"name", name.name}, {"speaker", name.speaker}, {"possessive", name.possessive}};
    });
    object["quotes"] =
        List(reading.quotes, [](const memory::QuestionQuote& quote) { return quote.quote; });
    object["numbers"] = List(reading.numbers, [&](const memory::Quantity& number) {
      return json{{"text", Part(number.text)}, {"value", number.value}, {"unit", number.unit}};
    });
    object["negations"] =
        List(reading.negations, [&](memory::TextPart part) { return Part(part); });
    object["hops"] = List(reading.hops, [](const memory::QuestionHop& hop) {
      return json{{"kind", QuestionHopName(hop.kind)}, {"part", hop.part}};
    });
    object["terms"] = List(reading.terms, [](const memory::QuestionTerm& term) {
      return json{{"term", term.term}, {"weight", term.weight}};
    });
    return object;
  }

  static std::vector<std::string> Traits(const QuestionReading& reading) {
    std::vector<std::string> traits;
    for (int i = 0; i < memory::kQuestionTraits; ++i) {
      const auto trait = static_cast<memory::QuestionTrait>(i);
      if (reading.Has(trait)) traits.emplace_back(QuestionTraitName(trait));
    }
    return traits;
  }

  void Show(Invocation& call, const QuestionReading& reading) const {
    Table table({"WHAT", "VALUE", "TEXT"});
    if (!turn_) {
      table.Add({"asked for", std::string(AskedForName(reading.asked)), ""});
      for (const std::string& trait : Traits(reading)) table.Add({"kind", trait, ""});
    }
    for (const TimeExpression& time : reading.times) {
      const std::int64_t shift = offset_ * 60000LL;
      table.Add(
          {"time",
           fmt::format("{} to {}, {} {}{}", FormatMinute(time.range.from_ms + shift),
                       FormatMinute(time.range.to_ms + shift), TimePrecisionName(time.precision),
                       TimeRelationName(time.relation), time.range.about ? ", about" : ""),
           Part(time.text)});
    }
    for (const memory::TextPart part : reading.impossible_dates) {
      table.Add({"no such date", "", Part(part)});
    }
    for (const memory::QuestionName& name : reading.names) {
      table.Add({"name", name.speaker < 0 ? "" : "speaker", name.name});
    }
    for (const memory::QuestionQuote& quote : reading.quotes) table.Add({"quote", "", quote.quote});
    for (const memory::Quantity& number : reading.numbers) {
      table.Add({"number", fmt::format("{} {}", number.value, number.unit), Part(number.text)});
    }
    for (const memory::TextPart part : reading.negations) table.Add({"not", "", Part(part)});
    for (const memory::QuestionHop& hop : reading.hops) {
      table.Add({"find first", std::string(QuestionHopName(hop.kind)), hop.part});
    }
    for (const memory::QuestionTerm& term : reading.terms) {
      table.Add({"term", fmt::format("{:.1f}", term.weight), term.term});
    }
    table.Print(call);
  }

  std::string text_;
  std::string at_;
  int offset_ = 0;
  std::vector<std::string> speakers_;
  bool turn_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeInspectQuestion() { return std::make_unique<InspectQuestion>(); }

}  // namespace liubai::tools
