#include "tools/kept_answers.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/hash.h"
#include "core/macros.h"

namespace liubai::tools {

Result<KeptAnswers> KeptAnswers::Open(FileSystem& fs, const std::string& path) {
  KeptAnswers kept;
  if (fs.Exists(path)) {
    LIUBAI_ASSIGN_OR_RETURN(std::string text, ReadFile(fs, path));
    const std::size_t whole = text.find_last_of('\n') + 1;  // 0: no line is.
    // A file of another kind is left as it is.
    const bool cut = whole < text.size();
    const std::string_view rest = std::string_view(text).substr(whole);
    constexpr std::string_view kBegin = "{\"answer\"";
    if (cut && !rest.starts_with(kBegin) && !kBegin.starts_with(rest)) {
      return Status(StatusCode::kDataLoss, path + ": its last line is no kept answer");
    }
    text.resize(whole);
    std::size_t line_number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
      ++line_number;
      const std::size_t end = text.find('\n', begin);
      const std::string_view line(text.data() + begin, end - begin);
      begin = end + 1;
      const nlohmann::json row = nlohmann::json::parse(line, nullptr, false);
      const bool ours = row.is_object() && row.contains("key") && row["key"].is_string() &&
                        row.contains("answer") && row["answer"].is_string() &&
                        row.value("prompt_tokens", nlohmann::json()).is_number_integer() &&
                        row.value("answer_us", nlohmann::json()).is_number_integer();
      if (!ours) {
        return Status(StatusCode::kDataLoss,
                      fmt::format("{}: line {} is no kept answer", path, line_number));
      }
      kept.answers_[row["key"]] = {row["answer"], row["prompt_tokens"], row["answer_us"]};
    }
    if (cut) LIUBAI_RETURN_IF_ERROR(WriteFileAtomically(fs, path, text));
  }
  LIUBAI_ASSIGN_OR_RETURN(kept.file_, fs.OpenForWrite(path, /*append=*/true));
  return kept;
}

std::string KeptAnswers::Key(const ModelInfo& model, bool exact, int max_tokens,
                             std::span<const TokenId> prompt) {
  Sha256 hash;
  hash.Update(fmt::format("{} {} {} {}\n", model.fingerprint, static_cast<int>(model.kv_format),
                          exact, max_tokens));
  hash.Update(std::as_bytes(prompt));
  return hash.Hex();
}

const KeptAnswer* KeptAnswers::Find(const std::string& key) {
  const auto found = answers_.find(key);
  if (found == answers_.end()) return nullptr;
  ++found_;
  return &found->second;
}

Status KeptAnswers::Add(const std::string& key, const KeptAnswer& answer) {
  const std::string line = nlohmann::json{{"key", key},
                                          {"answer", answer.text},
                                          {"prompt_tokens", answer.prompt_tokens},
                                          {"answer_us", answer.answer_us}}
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  LIUBAI_RETURN_IF_ERROR(file_->Write(std::as_bytes(std::span(line.data(), line.size()))));
  LIUBAI_RETURN_IF_ERROR(file_->Sync());
  answers_[key] = answer;
  return Status();
}

}  // namespace liubai::tools
