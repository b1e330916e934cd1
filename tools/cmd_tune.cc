// liubai tune, liubai bench policy: a policy of compaction fitted to what is found again for each
// token of the prompt, and what it is worth on conversations that it was not fitted to.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "tools/commands.h"
#include "tools/policy_search.h"

namespace liubai::tools {
namespace {

// Which conversations, and in which window.
struct ConversationFlags {
  std::string conversations;
  std::string questions;
  std::int64_t seed = 1;
  int count = 9;
  int sessions = 24;
  int window = 1024;

  void Declare(Flags& flags) {
    flags.Text("--conversations", "FILE", &conversations,
               "JSON lines, each \"session\" a conversation (default: generated ones)");
    flags.Text("--questions", "FILE", &questions,
               "their questions, in the form of tools/demo/questions.jsonl");
    flags.Integer("--seed", "N", &seed, 0, 1'000'000'000, "of the first generated conversation");
    flags.Integer("--count", "N", &count, 1, 1000, "generated conversations");
    flags.Integer("--sessions", "N", &sessions, 5, 600, "sessions of each");
    flags.Integer("--window", "N", &window, 256, 1 << 20, "tokens of the window");
  }
  Result<std::vector<KnownConversation>> Load(Invocation& call) const {
    if (conversations.empty() != questions.empty()) {
      return call.UsageError("--conversations and --questions belong together");
    }
    std::vector<KnownConversation> loaded;
    if (conversations.empty()) {
      LIUBAI_ASSIGN_OR_RETURN(loaded, GeneratedConversations(seed, count, sessions));
    } else {
      LIUBAI_ASSIGN_OR_RETURN(loaded, ReadConversations(conversations, questions));
    }
    std::erase_if(loaded, [](const KnownConversation& one) { return one.questions.empty(); });
    if (loaded.empty()) {
      return Status(
          StatusCode::kInvalidArgument,
          fmt::format("no conversation of {} has a question that can be answered", conversations));
    }
    return loaded;
  }
  std::string Words() const {
    return conversations.empty()
               ? fmt::format("generated lives, seeds {} to {}, {} sessions each, window {}", seed,
                             seed + count - 1, sessions, window)
               : fmt::format("{} with {}, window {}", conversations, questions, window);
  }
};

nlohmann::json DescribeMeans(const PolicyMeans& means) {
  return {
      {"recall", means.recall}, {"prompt_tokens", means.prompt_tokens}, {"reward", means.reward}};
}

std::string MeansText(std::string_view name, const PolicyMeans& means) {
  return fmt::format("{:<8} {:>6.1f} % found, prompts of {:>6.1f} tokens, reward {:.4f}\n", name,
                     means.recall * 100, means.prompt_tokens, means.reward);
}

class Tune final : public Command {
  void Declare(Flags& flags) override {
    from_.Declare(flags);
    flags.Integer("--trials", "N", &trials_, 1, 1'000'000, "policies that are tried");
    flags.Integer("--search-seed", "N", &search_seed_, 0, 1'000'000'000, "of the search");
    flags.TextList("--fixed", "NAME", &fixed_,
                   "a parameter that stays as it is (again for more): --fixed high_mark");
    flags.Text("--out", "FILE", &out_, "where the policy is written (default: standard output)");
    flags.Text("--date", "TEXT", &date_, "the day, for the file's provenance");
    flags.Text("--commit", "ID", &commit_, "the program's sources, for the same");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const auto conversations, from_.Load(call));
    Progress progress = call.MakeProgress();
    const auto score = [&](const CompactionPolicy& policy) -> Result<std::vector<PolicyScore>> {
      std::vector<PolicyScore> scores;
      for (const KnownConversation& conversation : conversations) {
        auto one = MeasurePolicy(policy, conversation, from_.window, stop);
        if (!one.ok()) return one.status().WithContext(conversation.name);
        scores.push_back(*one);
      }
      return scores;
    };
    LIUBAI_ASSIGN_OR_RETURN(const PolicyFit fit,
                            FitPolicy(
                                score, trials_, static_cast<std::uint64_t>(search_seed_),
                                [&](int trial, const PolicyMeans& best) {
                                  progress.Update(fmt::format("best reward {:.4f}", best.reward),
                                                  static_cast<std::uint64_t>(trial),
                                                  static_cast<std::uint64_t>(trials_));
                                },
                                fixed_));
    PolicyFile file;
    file.policy = fit.policy;
    file.provenance = {from_.Words(), HashOf(conversations), search_seed_,     trials_, commit_,
                       date_,         fit.start.reward,      fit.fitted.reward};
    const std::string text = FormatPolicy(file);
    if (!out_.empty()) {
      LIUBAI_RETURN_IF_ERROR(WriteFileAtomically(PosixFileSystem(), out_, text));
    }
    if (call.json()) {
      call.PrintJson({{"default", DescribeMeans(fit.start)},
                      {"fitted", DescribeMeans(fit.fitted)},
                      {"trials", fit.tried},
                      {"refused_for_recall", fit.refused},
                      {"without_room", fit.no_room},
                      {"conversations", conversations.size()},
                      {"file", nlohmann::json::parse(text)}});
      return {};
    }
    if (out_.empty()) {
      call.Print(text);
      return {};
    }
    call.Print(MeansText("default", fit.start) + MeansText("fitted", fit.fitted));
    call.Note(fmt::format("{} is written; `liubai bench policy --policy {}` tries it on others",
                          out_, out_));
    return {};
  }

  ConversationFlags from_;
  int trials_ = 60;
  std::int64_t search_seed_ = 1;
  std::vector<std::string> fixed_;
  std::string out_;
  std::string date_;
  std::string commit_;
};

class BenchPolicy final : public Command {
 public:
  BenchPolicy() {
    on_.seed = 100'001;
    on_.count = 30;
  }

 private:
  void Declare(Flags& flags) override {
    flags.Text("--policy", "FILE", &policy_, "the policy that is compared with the default");
    on_.Declare(flags);
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    if (policy_.empty()) return call.UsageError("--policy FILE is needed");
    LIUBAI_ASSIGN_OR_RETURN(const PolicyFile file, LoadPolicy(policy_));
    LIUBAI_ASSIGN_OR_RETURN(const auto conversations, on_.Load(call));
    const std::string hash = HashOf(conversations);
    call.UseData(on_.Words(), BytesOf(conversations));
    const bool same = hash == file.provenance.data_hash;
    if (same) call.Warn("these are the conversations that the policy was fitted to");
    Progress progress = call.MakeProgress();
    std::vector<PolicyScore> base, fitted;
    std::vector<double> recall, tokens, reward;
    int questions = 0;
    for (const KnownConversation& conversation : conversations) {
      for (const bool fit : {false, true}) {
        auto score =
            MeasurePolicy(fit ? file.policy : CompactionPolicy(), conversation, on_.window, stop);
        if (!score.ok()) return score.status().WithContext(conversation.name);
        (fit ? fitted : base).push_back(*score);
      }
      recall.push_back(fitted.back().recall() - base.back().recall());
      tokens.push_back(fitted.back().prompt_tokens - base.back().prompt_tokens);
      reward.push_back(fitted.back().reward() - base.back().reward());
      questions += base.back().questions;
      progress.Update("comparing", base.size(), conversations.size());
    }
    const auto difference = [](const std::vector<double>& of) {
      const PairedDifference paired = Bootstrap(of, 1);
      return nlohmann::json{
          {"value", paired.mean}, {"low", paired.interval.low}, {"high", paired.interval.high}};
    };
    const auto system = [](const std::vector<PolicyScore>& scores) {
      nlohmann::json described = DescribeMeans(MeansOf(scores));
      double compactions = 0;
      for (const PolicyScore& score : scores) compactions += score.compactions;
      described["compactions"] = compactions / static_cast<double>(scores.size());
      return described;
    };
    const nlohmann::json report = {
        {"bench", "policy"},
        {"policy", policy_},
        {"provenance",
         {{"data", file.provenance.data},
          {"data_hash", file.provenance.data_hash},
          {"seed", file.provenance.seed},
          {"trials", file.provenance.trials},
          {"commit", file.provenance.commit},
          {"date", file.provenance.date}}},
        {"data", on_.Words()},
        {"data_hash", hash},
        {"fitted_on_the_same", same},
        {"conversations", conversations.size()},
        {"questions", questions},
        {"window_tokens", on_.window},
        {"default", system(base)},
        {"fitted", system(fitted)},
        {"difference",
         {{"recall", difference(recall)},
          {"prompt_tokens", difference(tokens)},
          {"reward", difference(reward)}}},
        {"interval", "95 %, bootstrap over conversations, paired, 4000 resamples, seed 1"}};
    if (call.Report(report)) return {};
    call.Print(fmt::format("{} conversations, {} questions ({})\n", conversations.size(), questions,
                           on_.Words()));
    call.Print(MeansText("default", MeansOf(base)) + MeansText("fitted", MeansOf(fitted)));
    const auto line = [&](std::string_view name, const nlohmann::json& of, double unit,
                          std::string_view suffix) {
      call.Print(fmt::format("  {:<14} {:+.4g}{}  ({:+.4g} to {:+.4g})\n", name,
                             of["value"].get<double>() * unit, suffix,
                             of["low"].get<double>() * unit, of["high"].get<double>() * unit));
    };
    call.Print("fitted less default, paired, with intervals at 95 %\n");
    line("found", report["difference"]["recall"], 100, " points");
    line("prompt tokens", report["difference"]["prompt_tokens"], 1, "");
    line("reward", report["difference"]["reward"], 1, "");
    return {};
  }

  ConversationFlags on_;
  std::string policy_;
};

}  // namespace

std::unique_ptr<Command> MakeTune() { return std::make_unique<Tune>(); }
std::unique_ptr<Command> MakeBenchPolicy() { return std::make_unique<BenchPolicy>(); }

}  // namespace liubai::tools
