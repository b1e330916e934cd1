// memory/kind_words.h: what people call the things of a kind. "How many pieces of furniture did I
// buy" is answered by a table and a mattress, "which streaming service" by a name: the turns have
// other words than the question.
//
// Errors:  none.
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>

namespace liubai::memory {

// Words for things of the kinds that `question` names, to be searched for; "" when it names none.
std::string KindWordsFor(std::string_view question);

}  // namespace liubai::memory
