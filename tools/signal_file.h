// tools/signal_file.h: what each candidate of each question was scored by, one JSON line a
// question, from which tools/fit_weights.py fits the weights of recall.
//
//   {"unit": "turn", "session" or "relevance", "id", "group", "kind", "vectors", "talk": whether
//   recall had some, and
//    whether nothing was asked, //    "evidence": how many units hold the answer,
//    "candidates": [[holds the answer: 0 or 1, {field: share}], …]}
//
// Errors:  those of FileSystem, and of the retriever.
// Threads: none of its own.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/file_system.h"
#include "liubai/retrieval.h"
#include "tools/flags.h"

namespace liubai::tools {

// One question of a benchmark.
struct SignalSource {
  std::string id;
  std::string group;  // What is left out together when fitting, such as a conversation.
  std::string kind;
  std::size_t evidence = 0;  // Units that hold the answer.
};

class SignalFile {
 public:
  // --signals. Nothing is written without it.
  void Declare(Flags& flags);
  bool open() const { return !path_.empty(); }
  Status Turns(const Retriever& retriever, RecallQuery query, const SignalSource& source,
               const std::function<bool(TurnId)>& holds);
  Status Sessions(const Retriever& retriever, RecallQuery query, const SignalSource& source,
                  const std::function<bool(SessionId)>& holds);
  // Hits of a question, each with its measures of relevance: those that hold the answer, or, with
  // an empty `holds`, those of a question that nothing answers.
  void Relevance(const RecallResult& result, const SignalSource& source,
                 const std::function<bool(TurnId)>& holds);
  Status Close();

 private:
  void Add(std::string_view unit, bool vectors, bool talk, const SignalSource& source,
           nlohmann::json candidates);

  std::string path_;
  std::string text_;
};

}  // namespace liubai::tools
