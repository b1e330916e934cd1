// liubai bench embedders: which embedder to take. For each of several: what it finds in English and
// Chinese, by the same recall over the same data, what it costs to run, and beside them words
// alone. The figures are those of bench locomo, madial and embed, run one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "tools/commands.h"

namespace liubai::tools {
namespace {

using nlohmann::json;

// What a benchmark reports, run as by its own command line.
Result<json> ReportOf(const Invocation& call, const char* name, std::unique_ptr<Command> bench,
                      const std::vector<std::string>& args, std::stop_token stop) {
  Flags flags;
  bench->Declare(flags);
  LIUBAI_RETURN_IF_ERROR(flags.Parse(name, args));
  GlobalOptions quiet = call.options();
  quiet.json = false;
  quiet.quiet = true;
  Invocation inner(quiet, call.logger());
  json report;
  inner.CaptureReport(&report);
  const Status status = bench->Run(inner, stop);
  if (!status.ok()) return status.WithContext(name);
  return report;
}

const json* SystemOf(const json& report, std::string_view prefix) {
  for (const json& system : report.at("systems")) {
    if (system.at("name").get<std::string>().starts_with(prefix)) return &system;
  }
  return nullptr;
}

class BenchEmbedders final : public Command {
  void Declare(Flags& flags) override {
    flags.Text("--data", "PATH", &data_, "folder of the data sets");
    flags.Text("--embedders", "LIST", &embedders_, "which, separated by commas; none: words only");
    flags.Integer("--embedder-threads", "N", &threads_, 0, 256,
                  "their threads (default: one for each core)");
    flags.Integer("-n,--texts", "N", &texts_, 10, 1000000, "texts to time them with");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    json rows = json::array();
    Progress progress = call.MakeProgress();
    const std::vector<std::string> names = Names();
    if (names.empty()) {
      return call.UsageError(fmt::format("--embedders \"{}\" names none", embedders_));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      progress.Update(names[i], i, names.size());
      LIUBAI_ASSIGN_OR_RETURN(json row, Measure(call, names[i], stop));
      rows.push_back(std::move(row));
    }
    progress.Clear();
    if (call.Report({{"bench", "embedders"},
                     {"interval", "Wilson, 95 %"},
                     {"recall",
                      "locomo: turns, fraction@k of conversations apart from those on "
                      "which weights were fitted; madial: memories, recall@10 of all"},
                     {"embedders", rows}})) {
      return Status();
    }
    Table table({"embedder", "LoCoMo @5", "@10", "@25", "MADial zh @10", "en @10", "texts/s",
                 "one, ms", "search p50", "p95 ms", "values"});
    const auto share = [](const json& one) {
      return fmt::format("{:.1f}", one.at("value").get<double>());
    };
    for (const json& row : rows) {
      const json& locomo = row.at("locomo");
      std::vector<std::string> cells = {row.at("embedder"),
                                        share(locomo.at("fraction@5")),
                                        share(locomo.at("fraction@10")),
                                        share(locomo.at("fraction@25")),
                                        share(row.at("madial_zh").at("fraction@10")),
                                        share(row.at("madial_en").at("fraction@10"))};
      const bool vectors = !row.at("cost").is_null();
      cells.push_back(vectors ? fmt::format("{:.0f}", row["cost"]["texts_per_second"].get<double>())
                              : "-");
      cells.push_back(vectors ? fmt::format("{:.1f}", row["cost"]["single_ms"].get<double>())
                              : "-");
      cells.push_back(fmt::format("{:.1f}", row.at("search_ms").at("p50").get<double>()));
      cells.push_back(fmt::format("{:.1f}", row.at("search_ms").at("p95").get<double>()));
      cells.push_back(vectors ? std::to_string(row["cost"]["dimension"].get<int>()) : "-");
      table.Add(std::move(cells));
    }
    table.Print(call);
    call.Note(
        "Per cent of what answers or fits among the first k; texts of a chat in batches, and one "
        "alone; a search without the encoding of its question; values of a vector.");
    return Status();
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= embedders_.size();) {
      const std::size_t end = std::min(embedders_.find(',', begin), embedders_.size());
      if (end > begin) names.push_back(embedders_.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }

  Result<json> Measure(Invocation& call, const std::string& embedder, std::stop_token stop) const {
    std::vector<std::string> with = {"--embedder", embedder};
    if (threads_ > 0) with.insert(with.end(), {"--embedder-threads", std::to_string(threads_)});
    std::vector<std::string> over = with;
    if (!data_.empty()) over.insert(over.end(), {"--data", data_});
    LIUBAI_ASSIGN_OR_RETURN(const json locomo,
                            ReportOf(call, "bench locomo", MakeBenchLocomo(), over, stop));
    LIUBAI_ASSIGN_OR_RETURN(const json madial,
                            ReportOf(call, "bench madial", MakeBenchMadial(), over, stop));
    call.UseData(locomo.at("data").at("file").get<std::string>(),
                 locomo.at("data").at("sha256").get<std::string>());
    for (const auto& [language, file] : madial.at("data").items()) {
      call.UseData("madial_bench/" + language, file.at("sha256").get<std::string>());
    }
    const json* const turns = SystemOf(locomo, "liubai");
    const json* const memories = SystemOf(madial, "liubai");
    if (turns == nullptr || memories == nullptr) {
      return Status(StatusCode::kInternal, "a benchmark reports no system of this program");
    }
    json row = {{"embedder", embedder},
                {"locomo", turns->at("raw_without_fitting_conversations")},
                {"madial_zh", memories->at("recall").at("zh")},
                {"madial_en", memories->at("recall").at("en")},
                {"search_ms", locomo.at("search_ms").at(turns->at("name").get<std::string>())},
                {"cost", nullptr}};
    if (embedder == "none") return row;
    std::vector<std::string> timed = with;
    timed.insert(timed.end(), {"--texts", std::to_string(texts_), "--repeat", "3", "--singles",
                               std::to_string(std::min(texts_, 100))});
    LIUBAI_ASSIGN_OR_RETURN(const json embed,
                            ReportOf(call, "bench embed", MakeBenchEmbed(), timed, stop));
    row["cost"] = {{"texts_per_second", embed.at("texts_per_second").at("median")},
                   {"tokens_per_text", embed.at("tokens_per_text")},
                   {"single_ms",
                    1000.0 / embed.at("singles").at("texts_per_second").at("median").get<double>()},
                   {"threads", embed.at("threads")},
                   {"dimension", embed.at("dimension")},
                   {"embedder_id", embed.at("embedder_id")}};
    return row;
  }

  std::string data_;
  std::string embedders_ = "none,all-minilm-l6-v2,multilingual-e5-small";
  int threads_ = 0;
  int texts_ = 500;
};

}  // namespace

std::unique_ptr<Command> MakeBenchEmbedders() { return std::make_unique<BenchEmbedders>(); }

}  // namespace liubai::tools
