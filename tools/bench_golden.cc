// liubai bench golden: how far the engine is from the results of other implementations.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "engine/model_store.h"
#include "fmt/format.h"
#include "liubai/embedder.h"
#include "tools/commands.h"
#include "tools/model_flags.h"

namespace liubai::tools {
namespace {

class BenchGolden final : public Command {
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    flags.Arguments("FILE", &files_, true,
                    "golden files: logits-*, tokens-*, tiny-*, or embed-* with -m EMBEDDER");
  }
  Status Run(Invocation& call, std::stop_token stop) override {
    for (const std::string& file : files_) {
      LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadFile(PosixFileSystem(), file));
      const auto golden = nlohmann::json::parse(text, nullptr, false);
      if (!golden.is_object()) {
        return Status(StatusCode::kDataLoss, fmt::format("{} is not a JSON object", file));
      }
      nlohmann::json report = {{"bench", "golden"}, {"file", file}};
      try {
        LIUBAI_RETURN_IF_ERROR(One(call, golden, report, stop).WithContext(file));
      } catch (const nlohmann::json::exception& error) {
        return Status(StatusCode::kDataLoss, fmt::format("{}: {}", file, error.what()));
      }
      call.UseData(file, text);
      if (!call.Report(report)) {
        report.erase("model");
        call.Print(report.dump(2) + "\n");
      }
    }
    return Status();
  }

  Status One(Invocation& call, const nlohmann::json& golden, nlohmann::json& report,
             std::stop_token stop) {
    if (golden.contains("items")) return Embeddings(call, golden["items"], report, stop);
    const bool known = golden.contains("strings") || golden.contains("long") ||
                       golden.contains("prompts") || golden.contains("sequences");
    if (!known) {
      return Status(StatusCode::kInvalidArgument,
                    "has none of strings, long, prompts, sequences and items");
    }
    if (language_model_ == nullptr) {
      LIUBAI_ASSIGN_OR_RETURN(language_model_, model_.Load(call));
    }
    LanguageModel& model = *language_model_;
    report["model"] = DescribeModel(model.info());
    if (golden.contains("strings")) Tokens(model, golden, report);
    if (golden.contains("long")) {
      LIUBAI_RETURN_IF_ERROR(Long(model, golden["long"], report, stop));
    }
    for (const char* key : {"prompts", "sequences"}) {
      if (golden.contains(key)) LIUBAI_RETURN_IF_ERROR(Prompts(model, golden[key], report, stop));
    }
    return Status();
  }

  Status Embeddings(Invocation& call, const nlohmann::json& items, nlohmann::json& report,
                    std::stop_token stop) {
    if (embedder_ == nullptr) {
      LIUBAI_ASSIGN_OR_RETURN(const std::string path, engine::ResolveModel(model_.model));
      EmbedderOptions options;
      options.threads = model_.threads;
      options.exact = model_.exact;
      options.logger = call.logger();
      LIUBAI_ASSIGN_OR_RETURN(embedder_, LoadEmbedder(path, options));
    }
    int compared = 0, too_long = 0, other_tokens = 0;
    double least = 1.0, sum = 0.0;
    for (const auto& item : items) {
      const auto prefix = item.value("prefix", "");
      const EmbedKind kind = prefix == "query: "     ? EmbedKind::kQuery
                             : prefix == "passage: " ? EmbedKind::kPassage
                                                     : EmbedKind::kPlain;
      const auto text = item["text"].get<std::string>();
      LIUBAI_ASSIGN_OR_RETURN(const int tokens, embedder_->CountTokens(text, kind));
      if (tokens > embedder_->max_tokens()) {  // The oracle cuts it.
        ++too_long;
        continue;
      }
      // The oracle takes control tokens in the text for what they say, an embedder for text.
      if (static_cast<std::size_t>(tokens) != item["ids"].size()) {
        ++other_tokens;
        continue;
      }
      const std::string_view view = text;
      LIUBAI_ASSIGN_OR_RETURN(const auto vector, embedder_->Embed({&view, 1}, kind, stop));
      const auto wanted = item["v"].get<std::vector<double>>();
      if (wanted.size() != vector.size()) {
        return Status(StatusCode::kInvalidArgument,
                      fmt::format("its vectors have {} values, those of {} have {}", wanted.size(),
                                  embedder_->name(), vector.size()));
      }
      double dot = 0.0, ours = 0.0, theirs = 0.0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto value = static_cast<double>(vector[i]);
        dot += value * wanted[i];
        ours += value * value;
        theirs += wanted[i] * wanted[i];
      }
      const double cosine = dot / std::sqrt(ours * theirs);
      least = std::min(least, cosine);
      sum += cosine;
      ++compared;
    }
    report["embedder"] = embedder_->name();
    report["vectors"] = {{"texts", items.size()},
                         {"compared", compared},
                         {"longer_than_the_model", too_long},
                         {"other_tokens", other_tokens}};
    if (compared > 0) {
      report["vectors"]["least_cosine"] = least;
      report["vectors"]["mean_cosine"] = sum / compared;
    }
    return Status();
  }

  static void Tokens(const LanguageModel& model, const nlohmann::json& golden,
                     nlohmann::json& report) {
    int same = 0;
    for (const auto& item : golden["strings"]) {
      same += model.TokenizeWithControls(item["text"].get<std::string>()) ==
              item["ids"].get<std::vector<TokenId>>();
    }
    report["strings"] = golden["strings"].size();
    report["strings_equal"] = same;
  }

  static Status Long(LanguageModel& model, const nlohmann::json& golden, nlohmann::json& report,
                     std::stop_token stop) {
    const auto ids = golden["ids"].get<std::vector<TokenId>>();
    LIUBAI_ASSIGN_OR_RETURN(const auto score, model.ScoreTokens(ids, stop));
    const auto nll = golden["nll"].get<std::vector<double>>();
    const auto arg_max = golden["argmax"].get<std::vector<TokenId>>();
    double difference = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < std::min(nll.size(), score.nll.size()); ++i) {
      const double d = static_cast<double>(score.nll[i]) - nll[i];
      difference += d;
      worst = std::max(worst, std::fabs(d));
    }
    int equal = 0;
    for (std::size_t i = 0; i < std::min(arg_max.size(), score.arg_max.size()); ++i) {
      equal += arg_max[i] == score.arg_max[i];
    }
    report["long"] = {
        {"tokens", ids.size()},
        {"nll_difference", difference / static_cast<double>(nll.size())},
        {"nll_worst", worst},
        {"arg_max_agreement", static_cast<double>(equal) / static_cast<double>(arg_max.size())}};
    return Status();
  }

  static Status Prompts(LanguageModel& model, const nlohmann::json& prompts, nlohmann::json& report,
                        std::stop_token stop) {
    std::size_t tokens = 0, equal = 0, texts = 0;
    for (const auto& prompt : prompts) {
      const auto greedy = prompt["greedy"].get<std::vector<TokenId>>();
      LIUBAI_ASSIGN_OR_RETURN(auto context, model.NewContext());
      LIUBAI_RETURN_IF_ERROR(
          context->Append({SegmentKind::kOther, 0, prompt["ids"].get<std::vector<TokenId>>()}));
      SamplingParams sampling;
      sampling.max_tokens = static_cast<int>(greedy.size());
      LIUBAI_ASSIGN_OR_RETURN(const auto generation, context->Generate(sampling, {}, stop));
      std::size_t same = 0;
      while (same < std::min(greedy.size(), generation.tokens.size()) &&
             greedy[same] == generation.tokens[same]) {
        ++same;
      }
      tokens += greedy.size();
      equal += same;
      texts += same == generation.tokens.size();
    }
    report["greedy"] = {{"prompts", prompts.size()},
                        {"texts_equal", texts},
                        {"tokens", tokens},
                        {"tokens_equal_before_the_first_difference", equal}};
    return Status();
  }

  ModelFlags model_;
  std::unique_ptr<LanguageModel> language_model_;  // Loaded when a file needs it.
  std::unique_ptr<Embedder> embedder_;             // Likewise.
  std::vector<std::string> files_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchGolden() { return std::make_unique<BenchGolden>(); }

}  // namespace liubai::tools
