// liubai bench needle: facts hidden in long texts, by the length of the text and the depth of the
// fact: the same model with the whole text in its context, with a sliding window, and with the
// tiers of an agent's memory, to which the text came turn by turn.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "tools/agent_flags.h"
#include "tools/bench_scores.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/heat_map.h"
#include "tools/needle_text.h"
#include "tools/readers.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kSystems[] = {"whole", "window", "tiers"};
constexpr std::string_view kLanguages[] = {"en", "zh"};
constexpr std::size_t kPerParagraph = 2;              // Turns of some 45 tokens.
constexpr std::int64_t kFirstMs = 1'704'182'400'000;  // 2 January 2024, 08:00.
constexpr std::int64_t kApartMs = 3 * 3'600'000;

struct System {
  std::string name;
  ScoreSum all, in_prompt;
  std::map<std::string, ScoreSum> by_task, by_language;
  std::map<int, ScoreSum> by_length;
  std::map<int, std::map<int, ScoreSum>> cells;  // Length, depth.
  std::vector<std::int64_t> answer_us, open_us;
  int broke_off = 0;
};

class BenchNeedle final : public Command {
  void Declare(Flags& flags) override {
    model_.Declare(flags);
    embedder_.Declare(flags);
    flags.Text("--lengths", "LIST", &lengths_, "tokens of text, system prompt and question");
    flags.Text("--depths", "LIST", &depths_, "where the fact stands, in per cent of the text");
    flags.Text("--systems", "LIST", &systems_list_, "of whole, window, tiers");
    flags.Text("--tasks", "LIST", &tasks_, "of single, distractors, values, queries");
    flags.Text("--languages", "LIST", &languages_, "of en, zh");
    flags.Integer("--trials", "N", &trials_, 1, 1000, "texts of each length");
    flags.Integer("--window", "N", &window_, 512, 1 << 20,
                  "tokens of the sliding window and of the tiers' window");
    flags.Choice("--compaction", &compaction_, {"model", "extractive"}, "how turns are summarised");
    flags.Integer("-k,--recall-turns", "N", &recall_turns_, 0, 64,
                  "memories recalled for a question");
    flags.Integer("--recalled-tokens", "N", &recalled_tokens_, 64, 1 << 16,
                  "of the tiers' window, set aside for memories");
    flags.Integer("-n,--max-tokens", "N", &max_tokens_, 1, 4096, "tokens of one answer at most");
    flags.Text("--svg", "FILE", &svg_, "write a heat map, a panel for each system");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator of texts");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    if (const Status status = Read(); !status.ok()) return call.UsageError(status.message());
    const int longest = *std::ranges::max_element(length_list_);
    const int needed = std::max(Wants("whole") ? longest : 0, window_);
    if (model_.context_tokens == 0) {
      model_.context_tokens = needed;
    } else if (model_.context_tokens < needed) {
      return call.UsageError(
          fmt::format("--context-tokens {}: the longest text or the window takes {}",
                      model_.context_tokens, needed));
    }
    LIUBAI_ASSIGN_OR_RETURN(loaded_, model_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(loaded_embedder_,
                            Wants("tiers") ? embedder_.Load(call) : std::unique_ptr<Embedder>());
    for (const std::string& name : system_list_) systems_.push_back({name});
    Progress progress = call.MakeProgress();
    const std::size_t texts = language_list_.size() * static_cast<std::size_t>(trials_) *
                              length_list_.size() * depth_list_.size();
    std::size_t done = 0;
    std::string hashed;
    for (const std::string& language : language_list_) {
      for (int trial = 0; trial < trials_; ++trial) {
        for (const int length : length_list_) {
          for (const int depth : depth_list_) {
            LIUBAI_ASSIGN_OR_RETURN(Text text, Make(language, trial, length, depth));
            for (const NewTurn& turn : text.turns) hashed += turn.text + "\n";
            for (System& system : systems_) {
              progress.Update("texts", done, texts);
              LIUBAI_RETURN_IF_ERROR(Measure(call, text, &system, stop).WithContext(text.id));
            }
            progress.Update("texts", ++done, texts);
          }
        }
      }
    }
    progress.Clear();
    call.UseData("generated texts", hashed);
    if (!svg_.empty()) {
      LIUBAI_RETURN_IF_ERROR(
          WriteFileAtomically(PosixFileSystem(), svg_, HeatMapSvg(Picture())).WithContext("--svg"));
    }
    Report(call);
    return Status();
  }

  Status Read() {
    LIUBAI_ASSIGN_OR_RETURN(length_list_, ParseNumbers("--lengths", lengths_, 512, 1 << 20));
    LIUBAI_ASSIGN_OR_RETURN(depth_list_, ParseNumbers("--depths", depths_, 0, 100));
    LIUBAI_ASSIGN_OR_RETURN(system_list_, ParseNames("--systems", systems_list_, kSystems));
    LIUBAI_ASSIGN_OR_RETURN(task_list_, ParseNames("--tasks", tasks_, kNeedleTasks));
    LIUBAI_ASSIGN_OR_RETURN(language_list_, ParseNames("--languages", languages_, kLanguages));
    return Status();
  }
  bool Wants(std::string_view system) const {
    return std::ranges::find(system_list_, system) != system_list_.end();
  }

  struct Text {
    std::string id;
    std::string language;
    int length = 0, depth = 0;
    std::vector<NewTurn> turns;
    std::vector<NeedleQuestion> questions;
    int tokens = 0;
  };

  // The turns of a text; as many sentences of filler as fit beside the needles.
  static std::vector<NewTurn> Turns(const std::vector<std::string>& sentences,
                                    const Haystack& haystack, bool chinese) {
    std::vector<NewTurn> turns;
    for (std::string& paragraph : Paragraphs(sentences, haystack.needles, chinese, kPerParagraph)) {
      NewTurn turn;
      turn.text = std::move(paragraph);
      turn.time_ms = kFirstMs + static_cast<std::int64_t>(turns.size()) * kApartMs;
      turns.push_back(std::move(turn));
    }
    return turns;
  }

  Result<Text> Make(const std::string& language, int trial, int length, int depth) {
    Text text;
    text.id = fmt::format("{}/{}/{}/{}", language, length, depth, trial);
    text.language = language;
    text.length = length;
    text.depth = depth;
    const bool chinese = language == "zh";
    const auto seed = static_cast<std::uint32_t>(seed_ * 1000 + trial);
    const Haystack haystack = MakeHaystack(chinese, seed, depth / 100.0);
    text.questions = haystack.questions;
    FillerSentences filler(chinese, seed);
    std::vector<std::string> sentences;
    const int limit = length - Reserve();
    for (int tokens = 0; tokens < limit;) {
      sentences.push_back(filler.Next());
      tokens += static_cast<int>(loaded_->Tokenize(sentences.back()).size());
    }
    while (true) {
      text.turns = Turns(sentences, haystack, chinese);
      LIUBAI_ASSIGN_OR_RETURN(text.tokens,
                              CountChatTokens(*loaded_, Agent::DefaultSystemPrompt(), text.turns));
      if (text.tokens <= limit) return text;
      const auto drop = static_cast<std::size_t>((text.tokens - limit + 29) / 30);
      if (drop >= sentences.size()) {
        return Status(StatusCode::kInvalidArgument,
                      fmt::format("the facts alone take more than {} tokens", length));
      }
      sentences.resize(sentences.size() - drop);
    }
  }
  // For the question, its instruction and the answer.
  int Reserve() const { return 128 + max_tokens_; }

  // What the agent says before a question to its memory, so that the prompts differ in nothing
  // else.
  static std::string Instructed(const NeedleQuestion& question, bool chinese) {
    return fmt::format(
        "{}{}",
        chinese ? "请只根据前面的对话简短回答。如果里面没有答案，只说“我不知道”。\n问题："
                : "Using what was said before, answer in one sentence; if none of it tells it, say "
                  "you don't know.\nQuestion: ",
        question.question);
  }

  SamplingParams Sampling() const {
    SamplingParams sampling;
    sampling.max_tokens = max_tokens_;
    sampling.temperature = 0;
    return sampling;
  }

  Status Measure(Invocation& call, const Text& text, System* system, std::stop_token stop) {
    std::unique_ptr<TextReader> plain;
    std::unique_ptr<TieredReader> tiers;
    const auto start = std::chrono::steady_clock::now();
    if (system->name == "tiers") {
      AgentOptions options;
      options.model = loaded_.get();
      options.embedder = loaded_embedder_.get();
      options.window_tokens = window_;
      options.recall_turns = recall_turns_;
      options.budgets.recalled_tokens = recalled_tokens_;
      options.compaction =
          compaction_ == "model" ? CompactionMode::kModel : CompactionMode::kExtractive;
      options.sampling = Sampling();
      options.logger = call.logger();
      LIUBAI_ASSIGN_OR_RETURN(tiers, TieredReader::Open(options, text.turns, stop));
    } else {
      const int limit = system->name == "whole" ? text.length : std::min(window_, text.length);
      LIUBAI_ASSIGN_OR_RETURN(plain, TextReader::Open(*loaded_, Agent::DefaultSystemPrompt(),
                                                      text.turns, limit, Reserve(), stop));
    }
    system->open_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
                                  std::chrono::steady_clock::now() - start)
                                  .count());
    for (const NeedleQuestion& question : text.questions) {
      const std::string task(kNeedleTasks[static_cast<std::size_t>(question.task)]);
      if (std::ranges::find(task_list_, task) == task_list_.end()) continue;
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      Reading reading;
      if (tiers) {
        LIUBAI_ASSIGN_OR_RETURN(reading, tiers->Ask(question.question, question.references, stop));
      } else {
        LIUBAI_ASSIGN_OR_RETURN(reading, plain->Ask(Instructed(question, text.language == "zh"),
                                                    question.references, Sampling(), stop));
      }
      const double score = ReferencesFound(question.references, reading.answer);
      system->all.Add(score);
      system->in_prompt.Add(reading.in_prompt);
      system->by_task[task].Add(score);
      system->by_language[text.language].Add(score);
      system->by_length[text.length].Add(score);
      system->cells[text.length][text.depth].Add(score);
      system->answer_us.push_back(reading.total_us);
      system->broke_off += reading.broke_off;
      nlohmann::json& item = items_[text.id + "/" + task];
      item["id"] = text.id + "/" + task;
      item["question"] = question.question;
      item["references"] = question.references;
      item[system->name] = {{"score", score},
                            {"in_prompt", reading.in_prompt},
                            {"answer", reading.answer},
                            {"prompt_tokens", reading.prompt_tokens}};
    }
    return Status();
  }

  HeatMap Picture() const {
    HeatMap map;
    map.title = fmt::format("Facts found again by {}", loaded_->info().name);
    map.note = fmt::format("{} questions a system; tasks: {}; languages: {}; window {} tokens",
                           systems_.front().all.n, fmt::join(task_list_, ", "),
                           fmt::join(language_list_, ", "), window_);
    map.x_label = "tokens of text";
    map.y_label = "depth of the fact";
    for (const int length : length_list_) {
      map.columns.push_back(length % 1024 == 0 ? fmt::format("{}k", length / 1024)
                                               : fmt::format("{}", length));
    }
    for (const int depth : depth_list_) map.rows.push_back(fmt::format("{} %", depth));
    for (const System& system : systems_) {
      HeatPanel panel{system.name, {}};
      for (const int depth : depth_list_) {
        panel.values.emplace_back();
        for (const int length : length_list_) {
          panel.values.back().push_back(system.cells.at(length).at(depth).Mean());
        }
      }
      map.panels.push_back(std::move(panel));
    }
    return map;
  }

  void Report(Invocation& call) {
    nlohmann::json systems = nlohmann::json::array(), items = nlohmann::json::array();
    for (const System& system : systems_) {
      nlohmann::json tasks, languages, lengths, cells;
      for (const auto& [name, sum] : system.by_task) tasks[name] = sum.ToJson();
      for (const auto& [name, sum] : system.by_language) languages[name] = sum.ToJson();
      for (const auto& [length, sum] : system.by_length) {
        lengths[std::to_string(length)] = sum.ToJson();
      }
      for (const auto& [length, depths] : system.cells) {
        for (const auto& [depth, sum] : depths) {
          cells[std::to_string(length)][std::to_string(depth)] = sum.ToJson();
        }
      }
      systems.push_back({{"name", system.name},
                         {"all", system.all.ToJson()},
                         {"in_prompt", system.in_prompt.ToJson()},
                         {"by_task", tasks},
                         {"by_language", languages},
                         {"by_length", lengths},
                         {"by_length_and_depth", cells},
                         {"broke_off", system.broke_off},
                         {"reading_ms", LatencyJson(system.open_us)},
                         {"answer_ms", LatencyJson(system.answer_us)}});
    }
    for (const auto& [id, item] : items_) items.push_back(item);
    if (call.Report({{"bench", "needle"},
                     {"scoring", "share of the references in the answer, whatever their case"},
                     {"interval", "Wilson, 95 %"},
                     {"window_tokens", window_},
                     {"embedder", loaded_embedder_ ? nlohmann::json(loaded_embedder_->name())
                                                   : nlohmann::json()},
                     {"model", DescribeModel(loaded_->info())},
                     {"systems", systems},
                     {"questions", items},
                     {"peak_memory_bytes", PeakMemoryBytes()}})) {
      return;
    }
    for (const System& system : systems_) {
      call.Print(call.Bold(system.name) + "\n");
      std::vector<std::string> header = {"  DEPTH"};
      for (const int length : length_list_) header.push_back(fmt::format("{}", length));
      Table table(header);
      for (const int depth : depth_list_) {
        std::vector<std::string> row = {fmt::format("  {} %", depth)};
        for (const int length : length_list_) {
          row.push_back(fmt::format("{:.0f}", system.cells.at(length).at(depth).Mean() * 100));
        }
        table.Add(std::move(row));
      }
      table.Print(call);
    }
    call.Print("\n");
    std::vector<std::string> header = {"SYSTEM", "N", "FOUND, % [95 %]", "IN THE PROMPT"};
    for (const std::string& task : task_list_) header.push_back(task);
    Table table(header);
    for (const System& system : systems_) {
      std::vector<std::string> row = {system.name, fmt::format("{}", system.all.n),
                                      system.all.Text(),
                                      fmt::format("{:.1f}", system.in_prompt.Mean() * 100)};
      for (const std::string& task : task_list_) {
        row.push_back(fmt::format("{:.1f}", system.by_task.at(task).Mean() * 100));
      }
      table.Add(std::move(row));
    }
    table.Print(call);
  }

  ModelFlags model_;
  EmbedderFlags embedder_;
  std::string lengths_ = "1024,2048,4096,8192,16384";
  std::string depths_ = "0,25,50,75,100";
  std::string systems_list_ = "whole,window,tiers";
  std::string tasks_ = "single,distractors,values,queries";
  std::string languages_ = "en,zh";
  int trials_ = 1;
  int window_ = AgentFlags::kWindowTokens;
  std::string compaction_ = "extractive";
  int recall_turns_ = 4;  // As many as the tasks ask for, and one.
  int recalled_tokens_ = 448;
  int max_tokens_ = 48;
  std::string svg_;
  int seed_ = 1;

  std::vector<int> length_list_, depth_list_;
  std::vector<std::string> system_list_, task_list_, language_list_;
  std::unique_ptr<LanguageModel> loaded_;
  std::unique_ptr<Embedder> loaded_embedder_;
  std::vector<System> systems_;
  std::map<std::string, nlohmann::json> items_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchNeedle() { return std::make_unique<BenchNeedle>(); }

}  // namespace liubai::tools
