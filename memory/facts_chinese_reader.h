// memory/facts_chinese_reader.h: reads the facts of one Chinese sentence, clause by clause; a
// clause without a subject has that of the clause before it, as the language has it.
//
// Threads: one thread for each reader.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "memory/fact_states.h"
#include "memory/facts_read.h"

namespace liubai::memory {

class ChineseReader {
 public:
  ChineseReader(std::string_view sentence, std::string_view statement, FactReader* reader)
      : sentence_(sentence), statement_(statement), reader_(*reader) {}

  void Read();

 private:
  struct Who {
    std::string name;
    bool self = false;
    bool pet = false;
    double confidence = 0.95;
  };

  // facts_chinese.cc: clauses, subjects, names, corrections.
  bool Add(const Who& who, std::string_view attribute, std::string_view value,
           ClaimKind kind = ClaimKind::kHolds, double confidence = 1);
  static std::string_view Trimmed(std::string_view value);
  // "(我)不是80": what is not so.
  static bool NotThis(std::string_view clause, std::string_view* wrong);
  static bool IsThat(std::string_view clause, std::string_view* right);
  void Correct(std::string_view value);
  Who Self() const;
  // A name at the start of `text`, and what is behind it.
  static std::string_view NameAt(std::string_view text, bool bound);
  // 妹妹, 大女儿: what it is filed under, and where it ends.
  static std::string_view Relation(std::string_view text, std::size_t* end);
  // Takes the subject from the beginning of `clause`; without one it is that of the clause before.
  void FindSubject(std::string_view* clause);
  static std::string_view PetWord(std::string_view text);
  void Person(std::string_view relation, std::string_view rest, std::string_view* clause);
  void PetOf(std::string_view kind, std::string_view rest, std::string_view* clause);
  // In a question: whom it names. 我妹妹李娜适合什么礼物？
  void Presupposed(std::string_view clause);
  bool Clause(std::string_view clause);
  // 我养了一只猫，叫咪咪: the name of the animal of the clause before.
  bool NamesPet(std::string_view clause);
  void Predicate(std::string_view rest);

  // facts_chinese_values.cc: what a clause says of its subject; false: not this.
  static std::string_view AfterQuantity(std::string_view text);
  static bool AgeIn(std::string_view text, std::string* age);
  static std::string_view Until(std::string_view text,
                                std::initializer_list<std::string_view> ends);
  static std::string_view Place(std::string_view text);
  // The trade that `text` ends with, without its measure word.
  static std::string_view Job(std::string_view text);
  static std::string_view ThingIn(std::string_view text, std::string_view* filed);
  bool Name(std::string_view rest);
  bool Age(std::string_view rest, bool soon);
  bool Birth(std::string_view rest);
  bool Homes(std::string_view rest, ClaimKind kind, std::string_view whole);
  // 在上海工作 names a town, 在浙江大学工作 whom one works for.
  static std::string_view OrgAttribute(std::string_view org);
  bool Work(std::string_view rest, ClaimKind kind);
  bool Studies(std::string_view rest, ClaimKind kind);
  bool Health(std::string_view rest, ClaimKind kind);
  // The parts of 篮球、足球和游泳.
  bool Each(std::string_view what, std::string_view attribute, ClaimKind kind, double confidence);
  bool Tastes(std::string_view rest, bool most);
  bool Love(std::string_view rest);
  // 有一个妹妹叫李娜, 有两个孩子
  bool Relatives(std::string_view rest, ClaimKind kind);
  bool Things(std::string_view rest, ClaimKind kind);
  bool Plans(std::string_view rest);

  // facts_chinese_states.cc: the states of every day, by the words that name them.
  // What the subject's state is called at the beginning of `text`.
  const DailyState* StateNamed(std::string_view text, std::size_t* end);
  // Over 是, 换成了, 现在每月 to where a value may begin; `bare`: no verb leads to it.
  bool ToValue(std::string_view* text, bool* bare);
  static std::string_view StateText(const DailyState& state, std::string_view text, bool bare);
  bool KeepState(const Who& who, const DailyState& state, std::string_view text);
  // 房租…, 房东…, 家里的无线网密码…: there is one, and it is one's own; 我的领导叫….
  bool HouseholdState(std::string_view clause);
  // 我换了手机号，新号码是…: the clause before has named the state.
  bool OfTopic(std::string_view rest);
  bool States(std::string_view rest, ClaimKind kind);
  bool Earns(std::string_view rest, ClaimKind kind);
  bool Commutes(std::string_view rest, ClaimKind kind);
  // Whom one leads, where one trains and where one studied.
  bool Crew(std::string_view rest, ClaimKind kind);
  void KeepFavourite(std::string_view kind, std::string_view occasion, std::string_view value);
  bool FavouriteOf(std::string_view own);
  bool Preferred(std::string_view rest);
  bool Tired(std::string_view rest);
  bool BestTime(std::string_view rest);
  bool Price(std::string_view own);

  std::string_view sentence_;
  std::string_view statement_;
  FactReader& reader_;
  std::string_view clause_;
  const DailyState* topic_ = nullptr;  // Named by a clause of this sentence.
  Who subject_;
  bool explicit_ = false;
  bool former_ = false;
  bool change_ = false;
  bool corrects_ = false;
  std::string wrong_;
};

}  // namespace liubai::memory
