// memory/retrieval_list.h: what a question for all there is of something ("how many …", "how much …
// in total", "which …", 一共) gets: a list from many sessions instead of the best hit.
//
// Errors:  none.
// Threads: free functions without state.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/retrieval.h"
#include "memory/question.h"

namespace liubai::memory {

// The answer lies in several turns, each of which tells a part.
bool WantsSeveral(const QuestionReading& reading);
// A number or a sum is wanted, to which many sessions may add; what belongs to a list is mostly
// told at once.
bool CountsUp(const QuestionReading& reading);

// The sentences of `text` that have most of `terms`, as bytes [begin, end): of a list, each item
// takes little room.
std::pair<std::size_t, std::size_t> ItemExcerpt(std::string_view text,
                                                const std::vector<std::string>& terms);

// Hits, best first: what tells the same as a better one goes into its `same`. With `spread` a third
// turn of one session, and each further one, yields to turns of other sessions that fit nearly as
// well. At most `limit` stay.
void GatherItems(RecallResult& result, std::size_t limit, bool spread);

}  // namespace liubai::memory
