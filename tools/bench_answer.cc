// liubai bench answer: questions of LoCoMo and LongMemEval answered by a language model that reads,
// of the conversation, its newest part up to a limit, a sliding window of it, what the memory
// recalls, or the turns that hold the answer. Reader and prompt are the same for all.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>

#include "core/elapsed.h"
#include "core/file_system.h"
#include "core/macros.h"
#include "core/text.h"
#include "tools/agent_flags.h"
#include "tools/answer_score.h"
#include "tools/bench_scores.h"
#include "tools/bench_texts.h"
#include "tools/commands.h"
#include "tools/kept_answers.h"
#include "tools/paired.h"
#include "tools/recall_data.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kSystems[] = {"full", "window", "tiers", "oracle"};
constexpr int kReserve = 192;  // For instruction and question, beside the answer.

struct Question {
  std::string id;
  std::string kind;  // Category or type.
  int category = 0;  // Of LoCoMo.
  std::string text;
  std::string gold;
  std::string corrected;  // LoCoMo's audit; else as gold.
  bool abstention = false;
  std::int64_t now_ms = 0;
  std::set<std::size_t> evidence;  // Places of turns.
};

// One conversation, oldest first, and what is asked about it.
struct Case {
  std::vector<NewTurn> turns;  // session_id: counted from 1.
  std::vector<Question> questions;
};

struct System {
  std::string name;
  std::map<std::string, std::map<std::string, ScoreSum>> scores;  // Measure, kind ("all" too).
  std::vector<std::int64_t> answer_us;
  std::int64_t prompt_tokens = 0;
};

std::string Line(const NewTurn& turn) {
  Turn shown;
  shown.role = turn.role;
  shown.speaker = turn.speaker;
  shown.time_ms = turn.time_ms;
  return RenderMemory(shown, turn.text) + "\n";
}

class BenchAnswer final : public Command {
  void Declare(Flags& flags) override {
    flags.Choice("--data-set", &data_set_, {"locomo", "longmemeval"}, "whose questions");
    flags.Text("--data", "NAME|PATH", &data_,
               "locomo or longmemeval, in the folder LIUBAI_DATA; or that folder, or the file");
    model_.Declare(flags);
    embedder_.embedder = "none";  // Encoding a data set takes minutes to hours the first time.
    embedder_.Declare(flags);
    flags.Integer("--sample", "N", &sample_, 1, 1 << 20, "questions, drawn at random");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the draw");
    flags.Text("--systems", "LIST", &systems_list_, "of full, window, tiers, oracle");
    flags.Integer("--full-tokens", "N", &full_, 512, 1 << 20,
                  "of the newest part of the conversation");
    flags.Integer("--window", "N", &window_, 512, 1 << 20,
                  "tokens of the sliding window, and of the prompt with what is recalled");
    flags.Integer("-k,--recall-turns", "N", &recall_turns_, 1, 64,
                  "memories recalled for a question");
    flags.Integer("-n,--max-tokens", "N", &max_tokens_, 1, 4096, "tokens of one answer at most");
    flags.Text(
        "--answers", "FILE", &answers_,
        "keep each answer in FILE, and take those of the same prompts from it: a run that was "
        "stopped goes on");
    flags.Switch("--with-texts", &with_texts_,
                 "put questions, gold answers and answers into the result");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    Result<std::vector<std::string>> names = ParseNames("--systems", systems_list_, kSystems);
    if (!names.ok()) return call.UsageError(names.status().message());
    for (const std::string& name : *names) systems_.push_back({name, {}, {}, 0});
    if (data_ == "locomo" || data_ == "longmemeval") data_set_ = std::exchange(data_, {});
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<Case> cases, Read(call));
    if (model_.context_tokens == 0) model_.context_tokens = std::max(full_, window_);
    if (model_.context_tokens < std::max(full_, window_)) {
      return call.UsageError(fmt::format("--context-tokens {}: --full-tokens or --window takes {}",
                                         model_.context_tokens, std::max(full_, window_)));
    }
    LIUBAI_ASSIGN_OR_RETURN(loaded_, model_.Load(call));
    LIUBAI_ASSIGN_OR_RETURN(cached_, embedder_.LoadCached(call));
    if (!answers_.empty()) {
      Result<KeptAnswers> kept = KeptAnswers::Open(PosixFileSystem(), answers_);
      if (!kept.ok()) return kept.status().WithContext("--answers");
      kept_.emplace(std::move(*kept));
    }
    Progress progress = call.MakeProgress();
    std::size_t done = 0;
    for (const Case& one : cases) {
      LIUBAI_RETURN_IF_ERROR(Open(one, stop));
      for (const Question& question : one.questions) {
        for (System& system : systems_) {
          progress.Update("questions", done, asked_);
          if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
          LIUBAI_RETURN_IF_ERROR(
              Ask(question, &system, stop).WithContext("question " + question.id));
        }
        progress.Update("questions", ++done, asked_);
      }
    }
    progress.Clear();
    Report(call);
    return Status();
  }

  // The same seed draws the same questions.
  std::set<std::size_t> Draw(std::size_t count) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = i;
    std::mt19937 random(static_cast<std::uint32_t>(seed_));
    for (std::size_t i = count; i > 1; --i) std::swap(places[i - 1], places[random() % i]);
    places.resize(std::min(count, static_cast<std::size_t>(sample_)));
    return {places.begin(), places.end()};
  }

  Result<std::vector<Case>> Read(Invocation& call) {
    const bool locomo = data_set_ == "locomo";
    LIUBAI_ASSIGN_OR_RETURN(
        const std::string path,
        DataFile(data_, locomo ? "locomo/locomo.json" : "longmemeval/longmemeval_s.json.gz"));
    LIUBAI_ASSIGN_OR_RETURN(const std::string text, ReadMaybeCompressed(path));
    call.UseData(path, text);
    Result<std::vector<Case>> cases = locomo ? ReadLocomo(call, path, text) : ReadLongMem(text);
    if (!cases.ok()) return cases.status().WithContext(path);
    for (const Case& one : *cases) asked_ += one.questions.size();
    if (asked_ == 0) return Status(StatusCode::kDataLoss, path + ": no question can be asked");
    return cases;
  }

  Result<std::vector<Case>> ReadLocomo(Invocation& call, const std::string& path,
                                       const std::string& text) {
    std::string corrections;
    const std::string audit = path.substr(0, path.find_last_of('/') + 1) + "audit_errors.json";
    if (Result<std::string> read = ReadMaybeCompressed(audit); read.ok()) {
      corrections = std::move(*read);
      call.UseData(audit, corrections);
    } else {
      call.Warn("no corrections of the labels: " + read.status().message());
    }
    LIUBAI_ASSIGN_OR_RETURN(const LocomoData data, ParseLocomo(text, corrections));
    // What can be scored: an answer, or that there is none.
    const auto usable = [](const LocomoQuestion& question) {
      return question.category == 5 || !question.answer.empty();
    };
    std::size_t count = 0;
    for (const LocomoConversation& conversation : data.conversations) {
      count += static_cast<std::size_t>(std::ranges::count_if(conversation.questions, usable));
    }
    excluded_ = static_cast<std::size_t>(data.questions) - count;
    const std::set<std::size_t> drawn = Draw(count);
    std::vector<Case> cases;
    std::size_t place = 0;
    for (const LocomoConversation& conversation : data.conversations) {
      Case one;
      std::map<std::string, std::size_t> places;
      for (const LocomoSession& session : conversation.sessions) {
        for (const LocomoTurn& turn : session.turns) {
          places[turn.dia_id] = one.turns.size();
          NewTurn row;
          row.session_id = session.number;
          row.speaker = turn.speaker;
          row.text = turn.text;
          row.time_ms = session.time_ms;
          one.turns.push_back(std::move(row));
        }
      }
      for (const LocomoQuestion& source : conversation.questions) {
        if (!usable(source) || !drawn.contains(place++)) continue;
        Question question;
        question.id = source.id;
        question.category = source.category;
        question.kind = fmt::format("category {}", source.category);
        question.text = source.text;
        question.gold = source.answer;
        question.corrected = source.corrected_answer;
        question.now_ms = one.turns.empty() ? 0 : one.turns.back().time_ms;
        for (const std::string& id : source.corrected) question.evidence.insert(places.at(id));
        one.questions.push_back(std::move(question));
      }
      if (!one.questions.empty()) cases.push_back(std::move(one));
    }
    return cases;
  }

  Result<std::vector<Case>> ReadLongMem(const std::string& text) {
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string_view> elements, SplitJsonArray(text));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      // Whole questions are megabytes; first only which ones can be scored.
      const nlohmann::json head = nlohmann::json::parse(elements[i], nullptr, false);
      if (!head.is_object()) return Status(StatusCode::kDataLoss, "a question is no JSON object");
      if (LongMemCheckable(head.value("question_type", ""))) places.push_back(i);
    }
    excluded_ = elements.size() - places.size();
    std::vector<Case> cases;
    for (const std::size_t drawn : Draw(places.size())) {
      LIUBAI_ASSIGN_OR_RETURN(const LongMemQuestion source,
                              ParseLongMemQuestion(elements[places[drawn]]));
      Case one;
      Question question;
      question.id = source.id;
      question.kind = source.abstention ? "abstention" : source.type;
      question.text = source.text;
      question.gold = question.corrected = source.answer;
      question.abstention = source.abstention;
      question.now_ms = source.time_ms;
      std::int64_t session = 0;
      for (const LongMemSession& said : source.sessions) {
        ++session;
        for (const LongMemTurn& turn : said.turns) {
          if (turn.text.empty()) continue;
          if (turn.evidence) question.evidence.insert(one.turns.size());
          NewTurn row;
          row.session_id = session;
          row.role = turn.user ? Role::kUser : Role::kAssistant;
          row.text = turn.text;
          row.time_ms = said.time_ms;
          one.turns.push_back(std::move(row));
        }
      }
      one.questions.push_back(std::move(question));
      types_[source.id] = source.type;
      cases.push_back(std::move(one));
    }
    return cases;
  }

  bool Wants(std::string_view name) const {
    return std::ranges::any_of(systems_, [&](const System& one) { return one.name == name; });
  }

  // The memory of one conversation.
  Status Open(const Case& one, std::stop_token stop) {
    retriever_.reset();
    store_.reset();
    folder_.reset();
    lines_.clear();
    line_tokens_.clear();
    for (const NewTurn& turn : one.turns) {
      lines_.push_back(Line(turn));
      line_tokens_.push_back(static_cast<int>(loaded_->Tokenize(lines_.back()).size()));
    }
    if (!Wants("tiers")) return Status();
    LIUBAI_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Make());
    folder_ = std::make_unique<ScratchFolder>(std::move(folder));
    LIUBAI_ASSIGN_OR_RETURN(store_, Store::Open(folder_->path()));
    LIUBAI_ASSIGN_OR_RETURN(retriever_, Retriever::Open(*store_, cached_.get()));
    for (std::size_t begin = 0; begin < one.turns.size();) {
      std::size_t end = begin;
      while (end < one.turns.size() && one.turns[end].session_id == one.turns[begin].session_id) {
        ++end;
      }
      LIUBAI_ASSIGN_OR_RETURN(const SessionId session, store_->EnsureSession(fmt::format(
                                                           "{}", one.turns[begin].session_id)));
      std::vector<NewTurn> rows(one.turns.begin() + static_cast<std::ptrdiff_t>(begin),
                                one.turns.begin() + static_cast<std::ptrdiff_t>(end));
      for (NewTurn& row : rows) row.session_id = session;
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> added, store_->AppendTurns(rows));
      if (cached_) {
        LIUBAI_RETURN_IF_ERROR(
            cached_->IndexSession(*store_, *retriever_, rows, added, stop).status());
      }
      begin = end;
    }
    return Status();
  }

  // The newest lines of at most so many tokens, oldest first.
  std::string Newest(int tokens) const {
    std::size_t first = lines_.size();
    while (first > 0 && line_tokens_[first - 1] <= tokens) tokens -= line_tokens_[--first];
    std::string text;
    for (std::size_t i = first; i < lines_.size(); ++i) text += lines_[i];
    return text;
  }

  Result<std::string> Said(const System& system, const Question& question, std::stop_token stop) {
    if (system.name == "full") return Newest(full_ - kReserve - max_tokens_);
    const int room = window_ - kReserve - max_tokens_;
    if (system.name == "window") return Newest(room);
    if (system.name == "oracle") {
      std::string text;
      for (const std::size_t place : question.evidence) text += lines_[place];
      return text;
    }
    RecallQuery query;
    query.text = question.text;
    query.limit = recall_turns_;
    query.now_ms = question.now_ms;
    LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, retriever_->Recall(query, stop));
    PackOptions pack;
    pack.budget_tokens = room;
    pack.most = recall_turns_;
    pack.count = [this](std::string_view part) -> Result<std::int64_t> {
      return static_cast<std::int64_t>(loaded_->Tokenize(part).size());
    };
    LIUBAI_ASSIGN_OR_RETURN(const PackedMemories packed, PackMemories(found, pack));
    return packed.text;
  }

  std::string Prompt(const std::string& said, const Question& question) const {
    const std::string today =
        data_set_ == "longmemeval" && question.now_ms > 0
            ? fmt::format("Today is {}.\n", Line({.time_ms = question.now_ms}).substr(1, 10))
            : "";
    return fmt::format(
        "What was said earlier:\n{}\n{}Answer the question from what was said, in as few words as "
        "possible. If it was not mentioned, say \"not mentioned\".\nQuestion: {}",
        said.empty() ? "(nothing)\n" : said, today, question.text);
  }

  Result<KeptAnswer> Generate(std::vector<TokenId> prompt, std::int64_t recall_us,
                              std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    const std::string key =
        kept_ ? KeptAnswers::Key(loaded_->info(), model_.exact, max_tokens_, prompt)
              : std::string();
    if (kept_) {
      if (const KeptAnswer* known = kept_->Find(key)) return *known;
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Context> context, loaded_->NewContext());
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kOther, 0, std::move(prompt)}));
    SamplingParams sampling;
    sampling.max_tokens = max_tokens_;
    sampling.temperature = 0;
    LIUBAI_ASSIGN_OR_RETURN(const Generation generation, context->Generate(sampling, {}, stop));
    if (generation.reason == StopReason::kCancelled) {
      return Status(StatusCode::kCancelled, "stopped");
    }
    const KeptAnswer answer{generation.text, generation.prompt_tokens,
                            recall_us + MicrosSince(start)};
    if (kept_) LIUBAI_RETURN_IF_ERROR(kept_->Add(key, answer));
    return answer;
  }

  Status Ask(const Question& question, System* system, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    LIUBAI_ASSIGN_OR_RETURN(const std::string said, Said(*system, question, stop));
    LIUBAI_ASSIGN_OR_RETURN(
        auto prompt, loaded_->ChatOpening("You are a helpful assistant.", Prompt(said, question)));
    LIUBAI_ASSIGN_OR_RETURN(const auto header, loaded_->ChatReplyHeader());
    prompt.insert(prompt.end(), header.begin(), header.end());
    LIUBAI_ASSIGN_OR_RETURN(const KeptAnswer generation,
                            Generate(std::move(prompt), MicrosSince(start), stop));
    system->answer_us.push_back(generation.answer_us);
    system->prompt_tokens += generation.prompt_tokens;
    nlohmann::json& item = items_[question.id];
    item["id"] = question.id;
    item["kind"] = question.kind;
    nlohmann::json& of_system = item[system->name];
    of_system["prompt_tokens"] = generation.prompt_tokens;
    if (with_texts_) {
      item["question"] = question.text;
      item["gold"] = question.gold;
      of_system["answer"] = generation.text;
    }
    const auto add = [&](const char* measure, double score) {
      system->scores[measure]["all"].Add(score);
      system->scores[measure][question.kind].Add(score);
      of_system[measure] = score;
    };
    const std::string& answer = generation.text;
    if (data_set_ == "locomo") {
      add("f1", LocomoScore(question.category, question.gold, answer));
      add("f1_corrected", LocomoScore(question.category, question.corrected, answer));
      add("contains", question.category == 5 ? LocomoScore(5, "", answer)
                                             : ContainsAnswer(question.gold, answer));
    } else {
      add("right", LongMemRight(types_[question.id], question.abstention, question.gold, answer));
    }
    return Status();
  }

  // How much better the tiers are, question by question.
  nlohmann::json Advantages() const {
    nlohmann::json out = nlohmann::json::object();
    for (const System& other : systems_) {
      if (other.name == "tiers" || !Wants("tiers")) continue;
      for (const auto& [measure, kinds] : other.scores) {
        std::vector<double> theirs, ours;
        for (const auto& [id, item] : items_) {
          theirs.push_back(item[other.name][measure].get<double>());
          ours.push_back(item["tiers"][measure].get<double>());
        }
        const Paired paired = Pair(theirs, ours);
        nlohmann::json& one = out[other.name][measure];
        one = {{"n", paired.n},
               {"difference",
                {{"value", 100 * (paired.b - paired.a)},
                 {"low", 100 * paired.low},
                 {"high", 100 * paired.high}}},
               {"better", paired.higher_in_b},
               {"worse", paired.higher_in_a}};
        if (paired.binary) one["mcnemar_p"] = McNemar(paired.higher_in_a, paired.higher_in_b);
      }
    }
    return out;
  }

  void Report(Invocation& call) {
    nlohmann::json systems = nlohmann::json::array(), items = nlohmann::json::array();
    for (const System& system : systems_) {
      nlohmann::json one = {
          {"name", system.name},
          {"answer_ms", LatencyJson(system.answer_us)},
          {"mean_prompt_tokens", static_cast<double>(system.prompt_tokens) /
                                     static_cast<double>(std::max<std::size_t>(asked_, 1))}};
      for (const auto& [measure, kinds] : system.scores) {
        for (const auto& [kind, sum] : kinds) one[measure][kind] = sum.ToJson();
      }
      systems.push_back(std::move(one));
    }
    for (const auto& [id, item] : items_) items.push_back(item);
    const nlohmann::json advantages = Advantages();
    if (call.Report({{"bench", "answer"},
                     {"data_set", data_set_},
                     {"asked", asked_},
                     {"excluded_without_check", excluded_},
                     {"scoring", data_set_ == "locomo"
                                     ? "LoCoMo's F1 over Porter stems by category; category 5: "
                                       "says that it is not known"
                                     : "no judge: the gold number or words in the answer; longer "
                                       "ones by four fifths of "
                                       "their stems; abstention: says that it is not known"},
                     {"interval", "Wilson, 95 %; of differences: bootstrap over the questions"},
                     {"full_tokens", full_},
                     {"window_tokens", window_},
                     {"embedder", cached_ ? cached_->Describe() : nlohmann::json()},
                     {"model", DescribeModel(loaded_->info())},
                     {"answers_kept_before", kept_ ? kept_->found() : 0},
                     {"systems", systems},
                     {"tiers_over", advantages},
                     {"questions", items},
                     {"peak_memory_bytes", PeakMemoryBytes()}})) {
      return;
    }
    call.Print(fmt::format("{} questions of {}, drawn with seed {}; {}\n\n", asked_, data_set_,
                           seed_, loaded_->info().name));
    // A column for each kind of question, with its number.
    std::vector<std::string> header = {"SYSTEM", "MEASURE",
                                       fmt::format("all {}, % [95 %]", asked_)};
    std::vector<std::string> kinds;
    for (const auto& [kind, sum] : systems_.front().scores.begin()->second) {
      if (kind == "all") continue;
      kinds.push_back(kind);
      header.push_back(fmt::format("{} ({})", kind, sum.n));
    }
    Table table(header);
    for (const System& system : systems_) {
      for (const auto& [measure, scores] : system.scores) {
        std::vector<std::string> row = {system.name, measure, scores.at("all").Text()};
        for (const std::string& kind : kinds) {
          row.push_back(fmt::format("{:.1f}", scores.at(kind).Mean() * 100));
        }
        table.Add(std::move(row));
      }
    }
    table.Print(call);
    for (const auto& [name, measures] : advantages.items()) {
      for (const auto& [measure, one] : measures.items()) {
        call.Print(fmt::format("tiers over {}, {}: {:+.1f} [{:+.1f}, {:+.1f}]\n", name, measure,
                               one["difference"]["value"].get<double>(),
                               one["difference"]["low"].get<double>(),
                               one["difference"]["high"].get<double>()));
      }
    }
    if (!cached_) call.Note("Recalled by words only: --embedder NAME adds meaning.");
  }

  std::string data_set_ = "locomo";
  std::string data_;
  ModelFlags model_;
  EmbedderFlags embedder_;
  int sample_ = 50;
  int seed_ = 1;
  std::string systems_list_ = "full,window,tiers,oracle";
  int full_ = 8192;
  int window_ = AgentFlags::kWindowTokens;
  int recall_turns_ = 8;
  int max_tokens_ = 32;
  bool with_texts_ = false;
  std::string answers_;

  std::unique_ptr<LanguageModel> loaded_;
  std::optional<KeptAnswers> kept_;
  std::unique_ptr<CachedEmbedder> cached_;
  std::unique_ptr<ScratchFolder> folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Retriever> retriever_;
  std::vector<std::string> lines_;  // Of the conversation at hand.
  std::vector<int> line_tokens_;
  std::vector<System> systems_;
  std::map<std::string, std::string> types_;  // Of LongMemEval's questions.
  std::map<std::string, nlohmann::json> items_;
  std::size_t asked_ = 0, excluded_ = 0;
};

}  // namespace

std::unique_ptr<Command> MakeBenchAnswer() { return std::make_unique<BenchAnswer>(); }

}  // namespace liubai::tools
