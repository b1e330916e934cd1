#include "memory/text_terms.h"

#include "memory/fts_tokenizer.h"

namespace liubai::memory {

void TextTerms::Add(std::string_view text) {
  for (const std::string& term : TermSet(text)) {
    texts_[term].push_back(static_cast<std::uint32_t>(size_));
  }
  ++size_;
}

void TextTerms::Clear() {
  texts_.clear();
  size_ = 0;
}

std::vector<double> TextTerms::Weigh(std::span<const std::string> terms,
                                     std::span<const double> weights) const {
  std::vector<double> has(size_);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto found = texts_.find(terms[i]);
    if (found == texts_.end()) continue;
    for (const std::uint32_t text : found->second) has[text] += weights[i];
  }
  return has;
}

}  // namespace liubai::memory
