// liubai recall: finds turns of a memory by words and, where vectors are there, by meaning.
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"
#include "memory/essence.h"
#include "tools/commands.h"
#include "tools/recall_flags.h"

namespace liubai::tools {
namespace {

nlohmann::json Describe(const Turn& turn) {
  return {{"id", turn.id},
          {"role", RoleWord(turn.role)},
          {"speaker", turn.speaker},
          {"time_ms", turn.time_ms},
          {"text", turn.text}};
}

// A list in the order of time, else the best first.
std::vector<const RecallHit*> Shown(const RecallResult& result) {
  if (result.several) return result.ByTime();
  std::vector<const RecallHit*> hits;
  for (const RecallHit& hit : result.hits) hits.push_back(&hit);
  return hits;
}

class Recall final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("QUERY", &query_, true, "a question or words, in any language");
    flags_.Declare(flags);
    flags.Integer("-k,--limit", "N", &limit_, 1, 1000, "turns to show (default: 8)");
    flags.Integer("--around", "N", &around_, 0, 20, "turns before and after each (default: 0)");
    flags.Switch("--with-irrelevant", &with_irrelevant_, "the nearest turns even if none fits");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_RETURN_IF_ERROR(CheckText(query_, "QUERY"));
    if (query_.empty()) return call.UsageError("liubai recall: QUERY is empty");
    LIUBAI_ASSIGN_OR_RETURN(const OpenedRecall opened, flags_.Open(call, stop));
    RecallQuery query;
    query.text = query_;
    LIUBAI_ASSIGN_OR_RETURN(query.filter, flags_.store.Filter(*opened.store));
    query.limit = limit_;
    query.before = around_;
    query.after = around_;
    query.with_irrelevant = with_irrelevant_;
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult result, opened.retriever->Recall(query, stop));

    LIUBAI_ASSIGN_OR_RETURN(const auto essences,
                            opened.store->SearchEssences(query_, static_cast<std::size_t>(limit_),
                                                         query.filter.tenant));

    if (call.json()) {
      nlohmann::json words = nlohmann::json::array();
      for (const EssenceHit& hit : essences) {
        words.push_back({{"essence", hit.essence_id},
                         {"turn", hit.turn_id},
                         {"text", hit.text},
                         {"score", hit.score}});
      }
      nlohmann::json hits = nlohmann::json::array();
      for (const RecallHit* const at : Shown(result)) {
        const RecallHit& hit = *at;
        nlohmann::json line = Describe(hit.turn);
        line["score"] = hit.score;
        line["why"] = hit.Why();
        line["relevance"] = {{"probability", hit.relevance.probability},
                             {"covered", hit.relevance.covered},
                             {"around", hit.relevance.around},
                             {"tokens", hit.relevance.tokens},
                             {"deviations", hit.relevance.deviations}};
        line["words"] = hit.words;
        for (const RecallSignal& signal : hit.signals) {
          line["signals"][std::string(RecallFieldName(signal.field))] = {
              {"value", signal.value}, {"contribution", signal.contribution}};
        }
        line["session"] = hit.turn.session_id;
        line["excerpt"] = {{"begin", hit.begin}, {"end", hit.end}};
        for (const RecallSource& source : hit.same) {
          line["same"].push_back(
              {{"id", source.turn}, {"session", source.session}, {"time_ms", source.time_ms}});
        }
        for (const Turn& turn : hit.before) line["before"].push_back(Describe(turn));
        for (const Turn& turn : hit.after) line["after"].push_back(Describe(turn));
        hits.push_back(std::move(line));
      }
      nlohmann::json distance;
      if (result.distance) {
        distance = {{"text", result.distance->text}, {"events", nlohmann::json::array()}};
        for (const RecalledEvent& event : result.distance->events) {
          distance["events"].push_back({{"turn", event.turn},
                                        {"day", memory::FormatDay(event.day_ms)},
                                        {"sentence", event.sentence}});
        }
      }
      call.PrintJson({{"query", query_},
                      {"hits", hits},
                      {"distance", distance},
                      {"list", result.several},
                      {"essences", words},
                      {"terms", result.terms},
                      {"by_meaning", result.by_meaning},
                      {"note", result.note},
                      {"candidates", result.candidates},
                      {"search_us", result.search_us},
                      {"embed_us", result.embed_us}});
      return {};
    }
    const auto context = [&](const std::vector<Turn>& turns) {
      for (const Turn& turn : turns) {
        call.Print(call.Dim("    " + FitToWidth(turn.text, TerminalWidth() - 5)) + "\n");
      }
    };
    const auto Item = [&](const RecallHit& hit) {
      const std::string_view text = hit.turn.text;
      std::string item(text.substr(hit.begin, hit.end - hit.begin));
      if (hit.begin > 0) item.insert(0, "… ");
      if (hit.end < text.size()) item += " …";
      for (const RecallSource& source : hit.same) {
        item +=
            fmt::format("\n(told again in turn {} on {})", source.turn, ShortTime(source.time_ms));
      }
      return item;
    };
    if (result.several && !result.hits.empty()) {
      call.Print(fmt::format("{} found, oldest first:\n", result.hits.size()));
    }
    for (const RecallHit* const at : Shown(result)) {
      const RecallHit& hit = *at;
      call.Print(call.Bold(fmt::format("turn {}", hit.turn.id)) +
                 call.Dim(fmt::format(
                     "  {}  {}  score {:.2f}: {}", ShortTime(hit.turn.time_ms),
                     hit.turn.speaker.empty() ? RoleWord(hit.turn.role) : hit.turn.speaker,
                     hit.score, hit.Why())) +
                 "\n");
      context(hit.before);
      call.Print(Wrap(result.several ? Item(hit) : hit.turn.text, TerminalWidth(), "  ") + "\n");
      context(hit.after);
    }
    for (const EssenceHit& hit : essences) {
      call.Print(call.Bold(fmt::format("essence {}", hit.essence_id)) +
                 call.Dim(fmt::format(
                     "  word for word{}  score {:.2f}",
                     hit.turn_id > 0 ? fmt::format(" of turn {}", hit.turn_id) : "", hit.score)) +
                 "\n" + Wrap(hit.text, TerminalWidth(), "  ") + "\n");
    }
    if (result.distance) call.Print(result.distance->text + "\n");
    if (result.hits.empty() && essences.empty()) call.Print("nothing fits\n");
    if (!result.note.empty()) call.Note(result.note);
    return {};
  }

  std::string query_;
  RecallFlags flags_;
  int limit_ = 8;
  int around_ = 0;
  bool with_irrelevant_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeRecall() { return std::make_unique<Recall>(); }

}  // namespace liubai::tools
