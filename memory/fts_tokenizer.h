// memory/fts_tokenizer.h: text as search terms, the same for what is stored and what is asked.
//
// Terms are NFKC-folded and lower-cased; Latin letters lose their marks; ASCII words are reduced by
// the English Snowball stemmer; Chinese, Japanese, Korean and the scripts of South-East Asia
// without spaces become pairs of characters (stored text: single characters too); numbers are whole
// (`$4,237.00` is `4237`); compounds such as e-mail addresses, dates and identifiers are a term
// themselves and by their parts.
//
// Threads: free functions; a connection's tokenizer belongs to that connection.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "liubai/status.h"

struct sqlite3;

namespace liubai::memory {

// Stored with each index: another number makes the store rebuild its full text when it is opened.
inline constexpr int kTokenizerVersion = 1;
inline constexpr std::string_view kTokenizerName = "liubai";

// `counts`: belongs to the length of the text (not so: single characters beside pairs, whole
// compounds).
using TermSink = std::function<void(std::string_view term, bool counts)>;

// Terms of stored text.
void TokenizeText(std::string_view text, const TermSink& sink);
// All terms, function words included.
std::unordered_set<std::string> TermSet(std::string_view text);
// There is a word or a number in it, and not only punctuation.
bool HasTerm(std::string_view text);
// There is more in it than function words.
bool HasContent(std::string_view text);
// The number of terms that count.
int CountTerms(std::string_view text);
// Distinct terms of a query in order, at most `limit`; function words are left out unless nothing
// else is left.
std::vector<std::string> QueryTerms(std::string_view query, std::size_t limit = 256);
// Each term quoted, joined by OR: text that FTS5 cannot read as syntax.
std::string MatchExpression(const std::vector<std::string>& terms);

// Makes tokenize='liubai' and the function liubai_postings known to a connection.
Status RegisterFullText(sqlite3* db);

// What `SELECT liubai_postings(t) FROM t WHERE t MATCH …` tells of each term of the expression: the
// rows that have it, in order, and how often. Per thread, set around the statement.
using PostingSink = std::function<void(std::size_t term, std::int64_t row, int count)>;
void SetPostingSink(const PostingSink* sink);

}  // namespace liubai::memory
