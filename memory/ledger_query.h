// memory/ledger_query.h: what a person would ask who wants a detail back, without its value.
//
// Of a value: the words of its sentence without it. Of a statement the value is what it says of its
// subject, so other words are left out: of a rule how it ends and its numbers, of a promise its
// dates and amounts, of what is not so the "not", of a question the words that ask. Where too few
// words are left to find anything by, the sentences around lend theirs.
//
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "memory/ledger.h"

namespace liubai::memory {

// `detail` stands in sentence `index` of `sentences` of `text`; `all`: the details of the text.
std::string ProofQuery(std::string_view text, const std::vector<TextRange>& sentences,
                       std::size_t index, const std::vector<Detail>& all, const Detail& detail);

// A reply that leaves a question open: it asks back, or says that it does not know.
bool LeavesOpen(std::string_view reply);

}  // namespace liubai::memory
