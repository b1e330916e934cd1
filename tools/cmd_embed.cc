// liubai embed: texts as vectors, one JSON line each.
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"

namespace liubai::tools {
namespace {

class Embed final : public Command {
  void Declare(Flags& flags) override {
    flags.Arguments("TEXT", &texts_, false, "texts; standard input, one a line, without any");
    embedder_.Declare(flags);
    flags.Choice("--kind", &kind_, {"passage", "query", "plain"}, "what the texts are");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Embedder> embedder, embedder_.Require(call));
    const EmbedKind kind = kind_ == "query"   ? EmbedKind::kQuery
                           : kind_ == "plain" ? EmbedKind::kPlain
                                              : EmbedKind::kPassage;
    const auto embed = [&](const std::vector<std::string>& texts) -> Status {
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<float> vectors, embedder->Embed(views, kind, stop));
      const auto dimension = static_cast<std::size_t>(embedder->dimension());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::vector<float> vector(
            vectors.begin() + static_cast<std::ptrdiff_t>(i * dimension),
            vectors.begin() + static_cast<std::ptrdiff_t>((i + 1) * dimension));
        call.PrintJson({{"text", texts[i]}, {"embedder", embedder->name()}, {"vector", vector}});
      }
      return {};
    };
    if (!texts_.empty()) return embed(texts_);
    constexpr std::size_t kBatch = 64;
    std::vector<std::string> batch;
    for (std::string line; std::getline(std::cin, line);) {
      batch.push_back(std::move(line));
      if (batch.size() == kBatch) {
        LIUBAI_RETURN_IF_ERROR(embed(batch));
        batch.clear();
      }
    }
    return batch.empty() ? Status() : embed(batch);
  }

  std::vector<std::string> texts_;
  EmbedderFlags embedder_;
  std::string kind_ = "passage";
};

}  // namespace

std::unique_ptr<Command> MakeEmbed() { return std::make_unique<Embed>(); }

}  // namespace liubai::tools
