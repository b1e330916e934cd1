// liubai bench position: is a fact found again however long ago it was said, among many that are
// alike; and, with a model, is it answered wherever the memory that holds it stands in the prompt?
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/macros.h"
#include "memory/prompt.h"
#include "tools/bench_scores.h"
#include "tools/commands.h"
#include "tools/embedder_flags.h"
#include "tools/model_flags.h"
#include "tools/needle_text.h"
#include "tools/recall_metrics.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kLanguages[] = {"en", "zh"};
constexpr std::string_view kPlacements[] = {"in_message", "before_message"};
constexpr int kTurns = 6;                             // Of a session; one of them holds a fact.
constexpr std::int64_t kFirstMs = 1'704'182'400'000;  // 2 January 2024, 08:00.
constexpr std::int64_t kDayMs = 86'400'000;

constexpr std::string_view kEnglishKinds[] = {"blue",   "cracked", "carved",  "folding", "oval",
                                              "narrow", "painted", "riveted", "striped", "tall",
                                              "woven",  "round",   "glazed",  "hinged",  "plain"};
constexpr std::string_view kEnglishThings[] = {"chest", "mirror", "globe",  "stool", "cabinet",
                                               "frame", "basket", "teapot", "lamp",  "ladder",
                                               "clock", "vase",   "screen", "tray",  "bell"};
constexpr std::string_view kChineseKinds[] = {"蓝色", "开裂", "雕花", "折叠", "椭圆",
                                              "细长", "彩绘", "铆钉", "条纹", "高大",
                                              "编织", "圆形", "上釉", "铰链", "素面"};
constexpr std::string_view kChineseThings[] = {"箱子", "镜子", "地球仪", "凳子", "柜子",
                                               "画框", "篮子", "茶壶",   "台灯", "梯子",
                                               "座钟", "花瓶", "屏风",   "托盘", "铃铛"};
constexpr std::size_t kMostFacts = std::size(kEnglishKinds) * std::size(kEnglishThings);

struct Fact {
  std::string sentence, question, value;
  int sessions_ago = 0;
  TurnId turn = 0;
};

class BenchPosition final : public Command {
  void Declare(Flags& flags) override {
    flags_ = &flags;
    model_.Declare(flags);
    embedder_.Declare(flags);
    flags.Integer("--sessions", "N", &sessions_, 4, static_cast<int>(kMostFacts),
                  "of the conversation, one a day, of 6 turns, with a fact in each");
    flags.Text("--languages", "LIST", &languages_, "of en, zh: a conversation in each");
    flags.Integer("--memories", "N", &memories_, 1, 16,
                  "with --model: memories in the prompt, one of which holds the answer");
    flags.Integer("--asked", "N", &asked_, 1, static_cast<int>(kMostFacts),
                  "with --model: facts of each conversation that are asked for at each place");
    flags.Integer("--seed", "N", &seed_, 0, 1 << 30, "of the generator of conversations");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    Result<std::vector<std::string>> languages = ParseNames("--languages", languages_, kLanguages);
    if (!languages.ok()) return call.UsageError(languages.status().message());
    if (memories_ > sessions_) {
      return call.UsageError(
          fmt::format("--memories {}: there are {} facts", memories_, sessions_));
    }
    const bool answers = flags_->IsSet("--model");
    LIUBAI_ASSIGN_OR_RETURN(loaded_embedder_, embedder_.Load(call));
    if (answers) {
      if (model_.context_tokens == 0) model_.context_tokens = 2048;
      LIUBAI_ASSIGN_OR_RETURN(loaded_, model_.Load(call));
    }
    Progress progress = call.MakeProgress();
    for (const std::string& language : *languages) {
      progress.Update("conversations", 0, 0);
      LIUBAI_RETURN_IF_ERROR(Measure(call, language, answers, stop).WithContext(language));
    }
    progress.Clear();
    Report(call, answers);
    return Status();
  }

  // One fact a session, the newest last; no two are of the same thing.
  std::vector<Fact> Facts(bool chinese) const {
    std::mt19937 random(static_cast<std::uint32_t>(seed_));
    std::vector<std::size_t> places(kMostFacts);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random() % i]);
    std::vector<Fact> facts;
    for (int i = 0; i < sessions_; ++i) {
      const std::size_t place = places[static_cast<std::size_t>(i)];
      const std::size_t kind = place / std::size(kEnglishThings),
                        thing = place % std::size(kEnglishThings);
      Fact fact;
      const auto first = static_cast<char>('A' + random() % 26);
      const auto second = static_cast<char>('A' + random() % 26);
      fact.value = fmt::format("{}{}-{}", first, second, 1000 + random() % 9000);
      if (chinese) {
        const std::string what =
            fmt::format("我们的{}{}", kChineseKinds[kind], kChineseThings[thing]);
        fact.sentence = fmt::format("{}，编号是{}。", what, fact.value);
        fact.question = fmt::format("{}的编号是什么？", what);
      } else {
        const std::string what =
            fmt::format("our {} {}", kEnglishKinds[kind], kEnglishThings[thing]);
        fact.sentence = fmt::format("The number of {} is {}.", what, fact.value);
        fact.question = fmt::format("What is the number of {}?", what);
      }
      fact.sessions_ago = sessions_ - i;
      facts.push_back(std::move(fact));
    }
    return facts;
  }

  // 1, 2-3, 4-7, …: each stretch is twice as long as the one after it.
  static std::string Age(int sessions_ago) {
    int first = 1;
    while (first * 2 <= sessions_ago) first *= 2;
    return first == 1 ? "1" : fmt::format("{}-{}", first, first * 2 - 1);
  }

  Status Measure(Invocation& call, const std::string& language, bool answers,
                 std::stop_token stop) {
    const bool chinese = language == "zh";
    std::vector<Fact> facts = Facts(chinese);
    LIUBAI_ASSIGN_OR_RETURN(const ScratchFolder folder, ScratchFolder::Make());
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(folder.path()));
    FillerSentences filler(chinese, static_cast<std::uint32_t>(seed_));
    std::string said;
    std::int64_t now_ms = kFirstMs;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      LIUBAI_ASSIGN_OR_RETURN(const SessionId session, store->EnsureSession(fmt::format("{}", i)));
      std::vector<NewTurn> turns(kTurns);
      const std::size_t where = (i * 5 + 2) % kTurns;
      for (std::size_t t = 0; t < turns.size(); ++t) {
        const std::vector<std::string> sentences = {filler.Next(), filler.Next()};
        std::vector<Needle> needles;
        if (t == where) needles.push_back({facts[i].sentence, 0.5});
        turns[t].session_id = session;
        turns[t].text = Paragraphs(sentences, needles, chinese, sentences.size())[0];
        turns[t].time_ms = now_ms + static_cast<std::int64_t>(t) * 60'000;
        said += turns[t].text + "\n";
      }
      LIUBAI_ASSIGN_OR_RETURN(const std::vector<TurnId> added, store->AppendTurns(turns));
      facts[i].turn = added[where];
      now_ms += kDayMs;
    }
    call.UseData("generated conversation, " + language, said);
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Retriever> retriever,
                            Retriever::Open(*store, loaded_embedder_.get()));
    while (loaded_embedder_) {
      LIUBAI_ASSIGN_OR_RETURN(const IndexProgress progress, retriever->IndexPending(256, stop));
      if (progress.pending == 0) break;
    }
    // Asked for with a model: evenly over all ages.
    const std::size_t every =
        std::max<std::size_t>(1, facts.size() / static_cast<std::size_t>(asked_));
    for (std::size_t i = 0; i < facts.size(); ++i) {
      if (stop.stop_requested()) return Status(StatusCode::kCancelled, "stopped");
      const Fact& fact = facts[i];
      RecallQuery query;
      query.text = fact.question;
      query.limit = std::max(10, memories_ + 1);
      query.now_ms = now_ms;
      query.with_irrelevant = true;
      LIUBAI_ASSIGN_OR_RETURN(const RecallResult found, retriever->Recall(query, stop));
      const auto hit = std::ranges::find_if(
          found.hits, [&](const RecallHit& one) { return one.turn.id == fact.turn; });
      const auto rank = hit - found.hits.begin() + 1;
      const bool there = hit != found.hits.end();
      latencies_.push_back(found.search_us);
      const std::string id = fmt::format("{}/{}", language, fact.sessions_ago);
      nlohmann::json& item = items_[id];
      item = {{"id", id},
              {"sessions_ago", fact.sessions_ago},
              {"rank", there ? nlohmann::json(rank) : nlohmann::json()}};
      for (const int depth : {1, 5, 10}) {
        const bool right = there && rank <= depth;
        recall_[depth][Age(fact.sessions_ago)].Add(right);
        recall_[depth]["all"].Add(right);
        item["recall"][fmt::format("@{}", depth)] = right;
      }
      if (answers && i % every == every / 2) {
        LIUBAI_RETURN_IF_ERROR(Answer(*store, found, fact, chinese, &item, stop));
      }
    }
    return Status();
  }

  // The memory that holds the fact at each place among those that are most like it.
  Status Answer(const Store& store, const RecallResult& found, const Fact& fact, bool chinese,
                nlohmann::json* item, std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const Turn right, store.GetTurn(fact.turn));
    std::vector<std::string> others;
    for (const RecallHit& hit : found.hits) {
      if (hit.turn.id == fact.turn || others.size() + 1 >= static_cast<std::size_t>(memories_))
        continue;
      others.push_back(RenderMemory(hit.turn, hit.turn.text) + "\n");
    }
    for (std::size_t place = 0; place <= others.size(); ++place) {
      std::vector<std::string> lines = others;
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place),
                   RenderMemory(right, right.text) + "\n");
      std::string memories;
      for (const std::string& line : lines) memories += line;
      for (const std::string_view placement : kPlacements) {
        LIUBAI_ASSIGN_OR_RETURN(const std::string answer, Reply(memories, fact.question, chinese,
                                                                placement == "in_message", stop));
        const double score = ReferencesFound({fact.value}, answer);
        const std::string name(placement), at = fmt::format("{}", place + 1);
        answered_[name][at].Add(score);
        answered_[name]["all"].Add(score);
        (*item)["answered"][name][at] = score;
      }
    }
    return Status();
  }

  // As the agent builds it.
  Result<std::string> Reply(const std::string& memories, const std::string& question, bool chinese,
                            bool in_message, std::stop_token stop) {
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Context> context, loaded_->NewContext());
    const std::string system = memory::DefaultSystemText();
    std::vector<TokenId> prompt;
    const auto add = [&](const std::vector<TokenId>& tokens) {
      prompt.insert(prompt.end(), tokens.begin(), tokens.end());
    };
    if (in_message) {
      LIUBAI_ASSIGN_OR_RETURN(
          prompt, loaded_->ChatOpening(
                      system, memory::MessageWithMemories(memories, question, chinese, true)));
    } else {
      LIUBAI_ASSIGN_OR_RETURN(prompt, loaded_->ChatStart(system));
      LIUBAI_ASSIGN_OR_RETURN(
          const auto recalled,
          loaded_->ChatMessage("system", memory::MemoriesText(memories, chinese)));
      add(recalled);
      LIUBAI_ASSIGN_OR_RETURN(const auto message, loaded_->ChatMessage("user", question));
      add(message);
    }
    LIUBAI_ASSIGN_OR_RETURN(const auto header, loaded_->ChatReplyHeader());
    add(header);
    LIUBAI_RETURN_IF_ERROR(context->Append({SegmentKind::kOther, 0, std::move(prompt)}));
    SamplingParams sampling;
    sampling.max_tokens = 48;
    sampling.temperature = 0;
    LIUBAI_ASSIGN_OR_RETURN(const Generation generation, context->Generate(sampling, {}, stop));
    if (generation.reason == StopReason::kCancelled) {
      return Status(StatusCode::kCancelled, "stopped");
    }
    return generation.text;
  }

  // Ages in their order, "all" last.
  std::vector<std::string> Ages() const {
    std::vector<std::string> ages;
    for (int first = 1; first <= sessions_; first *= 2) ages.push_back(Age(first));
    ages.push_back("all");
    return ages;
  }

  void Report(Invocation& call, bool answers) {
    nlohmann::json recall, placed, items = nlohmann::json::array();
    for (const auto& [depth, ages] : recall_) {
      for (const auto& [age, sum] : ages) recall[age][fmt::format("@{}", depth)] = sum.ToJson();
    }
    for (const auto& [placement, places] : answered_) {
      for (const auto& [place, sum] : places) placed[placement][place] = sum.ToJson();
    }
    for (const auto& [id, item] : items_) items.push_back(item);
    if (call.Report({{"bench", "position"},
                     {"sessions", sessions_},
                     {"turns_of_a_session", kTurns},
                     {"interval", "Wilson, 95 %"},
                     {"embedder", loaded_embedder_ ? nlohmann::json(loaded_embedder_->name())
                                                   : nlohmann::json()},
                     {"model", answers ? DescribeModel(loaded_->info()) : nlohmann::json::object()},
                     {"recall_by_sessions_ago", recall},
                     {"answered_by_place", placed},
                     {"search_ms", LatencyJson(latencies_)},
                     {"questions", items}})) {
      return;
    }
    Table table({"SESSIONS AGO", "N", "@1, % [95 %]", "@5", "@10"});
    for (const std::string& age : Ages()) {
      table.Add({age, fmt::format("{}", recall_[1][age].n), recall_[1][age].Text(),
                 recall_[5][age].Text(), recall_[10][age].Text()});
    }
    table.Print(call);
    if (!answers) {
      call.Note("--model NAME also answers, with the memory at each place of the prompt.");
      return;
    }
    call.Print("\n");
    Table places({"PLACE OF THE MEMORY", "N", "in the message, % [95 %]", "before the message"});
    for (int place = 1; place <= memories_ + 1; ++place) {
      const std::string name = place > memories_ ? "all" : fmt::format("{}", place);
      const ScoreSum& sum = answered_["in_message"][name];
      places.Add({place > memories_ ? name : fmt::format("{} of {}", place, memories_),
                  fmt::format("{}", sum.n), sum.Text(), answered_["before_message"][name].Text()});
    }
    places.Print(call);
  }

  Flags* flags_ = nullptr;  // Outlives Run.
  ModelFlags model_;
  EmbedderFlags embedder_;
  int sessions_ = 100;
  std::string languages_ = "en,zh";
  int memories_ = 4;
  int asked_ = 12;
  int seed_ = 1;
  std::unique_ptr<LanguageModel> loaded_;
  std::unique_ptr<Embedder> loaded_embedder_;
  std::map<int, std::map<std::string, ScoreSum>> recall_;            // Depth, age.
  std::map<std::string, std::map<std::string, ScoreSum>> answered_;  // Placement, place.
  std::vector<std::int64_t> latencies_;
  std::map<std::string, nlohmann::json> items_;
};

}  // namespace

std::unique_ptr<Command> MakeBenchPosition() { return std::make_unique<BenchPosition>(); }

}  // namespace liubai::tools
