#include "memory/fts_tokenizer.h"

#include <libstemmer.h>
#include <sqlite3.h>
#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <unordered_set>

#include "core/text.h"

namespace liubai::memory {
namespace {

constexpr std::size_t kMaxTermBytes = 128;  // Longer words meet by their beginning.

// Scripts written without spaces.
bool IsUnspaced(std::int32_t c) {
  return IsCjk(c) || (c >= 0x0e00 && c <= 0x0eff) || (c >= 0x1000 && c <= 0x109f) ||
         (c >= 0x1780 && c <= 0x17ff);
}

bool IsDigit(std::int32_t c) { return c >= '0' && c <= '9'; }
bool IsWordPoint(std::int32_t c) {
  return c >= 0 && !IsUnspaced(c) && (IsLetter(c) || IsNumber(c) || IsMark(c));
}
// May stand inside a compound.
bool IsJoiner(std::int32_t c) {
  switch (c) {
    case '.':
    case '@':
    case '-':
    case '_':
    case '/':
    case ':':
    case '+':
    case '&':
    case '=':
    case '?':
    case '%':
    case '~':
    case '#':
    case ',':
    case '\'':
    case 0x2019:
      return true;
    default:
      return false;
  }
}

// Compatibility forms and case folded, marks of Latin letters removed.
std::string Fold(std::string_view text) {
  bool ascii = true;
  for (const char c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  if (ascii) {
    std::string lower(text);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return lower;
  }
  const std::string folded = FoldNfkc(text);
  std::string out;
  out.reserve(folded.size());
  for (std::size_t i = 0; i < folded.size();) {
    const DecodedCodePoint point = DecodeUtf8(folded, i);
    i += point.length;
    const std::int32_t c = point.value;
    if (c < 0) {
      out.push_back(' ');
    } else if (c < 0xc0 || (c >= 0x250 && (c < 0x1e00 || c >= 0x1f00))) {
      AppendUtf8(c, out);
    } else if (c == 0xf8) {
      out.push_back('o');
    } else if (c == 0x142) {
      out.push_back('l');
    } else if (c == 0x111 || c == 0xf0) {
      out.push_back('d');
    } else if (c == 0xe6) {
      out += "ae";
    } else if (c == 0x153) {
      out += "oe";
    } else {
      utf8proc_int32_t parts[8];
      const auto n = utf8proc_decompose_char(c, parts, 8, UTF8PROC_DECOMPOSE, nullptr);
      for (utf8proc_ssize_t k = 0; k < n && k < 8; ++k) {
        if (!IsMark(parts[k])) AppendUtf8(parts[k], out);
      }
    }
  }
  return out;
}

std::string_view Cut(std::string_view term) { return TruncateUtf8(term, kMaxTermBytes); }

std::string Stem(std::string_view word) {
  // The stemmer keeps a buffer of its own, so each thread has one.
  struct Stemmer {
    sb_stemmer* stemmer = sb_stemmer_new("english", "UTF_8");
    ~Stemmer() { sb_stemmer_delete(stemmer); }
  };
  thread_local Stemmer english;
  if (word.size() < 3 || english.stemmer == nullptr) return std::string(word);
  for (const char c : word) {
    if (c < 'a' || c > 'z') return std::string(word);
  }
  const sb_symbol* stem =
      sb_stemmer_stem(english.stemmer, reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) return std::string(word);
  return std::string(reinterpret_cast<const char*>(stem),
                     static_cast<std::size_t>(sb_stemmer_length(english.stemmer)));
}

bool AllDigits(std::string_view s) {
  for (const char c : s) {
    if (!IsDigit(c)) return false;
  }
  return !s.empty();
}

// The length of a number at the start of `s` (digits, groups of three after commas, one decimal
// part) and its plain form; 0 when `s` is longer than a number, as `1.2.3` or `4,23` are.
std::string PlainNumber(std::string_view s) {
  std::string out;
  std::size_t i = 0;
  while (i < s.size() && IsDigit(s[i])) out.push_back(s[i++]);
  if (out.empty()) return {};
  const std::size_t head = i;
  while (head <= 3 && i + 3 < s.size() && s[i] == ',' && AllDigits(s.substr(i + 1, 3)) &&
         (i + 4 == s.size() || !IsDigit(s[i + 4]))) {
    out += s.substr(i + 1, 3);
    i += 4;
  }
  if (i < s.size() && s[i] == '.' && AllDigits(s.substr(i + 1))) {
    std::string_view decimals = s.substr(i + 1);
    while (!decimals.empty() && decimals.back() == '0') decimals.remove_suffix(1);
    if (!decimals.empty()) out.append(".").append(decimals);
    i = s.size();
  }
  return i == s.size() ? out : std::string();
}

// Simple words and numbers: a stem, or the word itself.
void EmitWord(std::string_view word, const TermSink& sink) {
  if (word.empty()) return;
  if (AllDigits(word)) {
    sink(Cut(word), true);
    return;
  }
  sink(Cut(Stem(word)), true);
  // Parts of words that mix letters and digits: 10km, 3rd, gpt4.
  bool mixed = false;
  for (std::size_t i = 1; i < word.size(); ++i) mixed |= IsDigit(word[i]) != IsDigit(word[i - 1]);
  if (!mixed) return;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= word.size(); ++i) {
    if (i < word.size() && IsDigit(word[i]) == IsDigit(word[i - 1])) continue;
    sink(Cut(word.substr(begin, i - begin)), false);
    begin = i;
  }
}

// A run of word characters and joiners without joiners at its ends.
void EmitCompound(std::string_view run, const TermSink& sink) {
  if (const std::string number = PlainNumber(run); !number.empty()) {
    sink(Cut(number), true);
    return;
  }
  // Apostrophes: a possessive is dropped, others close up (don't, o'neill).
  std::string plain;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const bool curly = run.substr(i, 3) == "\xe2\x80\x99";
    if (run[i] != '\'' && !curly) {
      plain.push_back(run[i]);
      continue;
    }
    if (curly) i += 2;
    if (i + 1 < run.size() && run[i + 1] == 's' &&
        (i + 2 == run.size() || IsJoiner(static_cast<unsigned char>(run[i + 2])))) {
      ++i;
    }
  }
  const auto joins = [&](std::size_t i) { return IsJoiner(static_cast<unsigned char>(plain[i])); };
  std::size_t begin = 0;
  bool compound = false;
  for (std::size_t i = 0; i <= plain.size(); ++i) {
    if (i < plain.size() && !joins(i)) continue;
    if (i < plain.size()) compound = true;
    const std::string_view part = std::string_view(plain).substr(begin, i - begin);
    // A number with groups or decimals inside a compound stays one.
    std::size_t end = i;
    std::string number;
    if (AllDigits(part)) {
      while (end < plain.size() && (plain[end] == ',' || plain[end] == '.')) {
        std::size_t next = end + 1;
        while (next < plain.size() && IsDigit(plain[next])) ++next;
        if (next < plain.size() && !joins(next)) break;
        const std::string wider = PlainNumber(std::string_view(plain).substr(begin, next - begin));
        if (wider.empty()) break;
        number = wider;
        end = next;
      }
    }
    if (!number.empty()) {
      sink(Cut(number), true);
      i = end;
    } else {
      EmitWord(part, sink);
      // 2023-05-08 meets "May 8".
      if (part.size() == 2 && part[0] == '0' && AllDigits(part)) sink(part.substr(1), false);
    }
    begin = i + 1;
  }
  if (!compound) return;
  sink(Cut(plain), false);
  // The host of a URL, the domain of an address, the name in name=value.
  constexpr std::string_view kOuter = "/@:?=&#%~+,";
  if (plain.find_first_of(kOuter) == std::string::npos) return;
  for (std::size_t first = 0; first < plain.size();) {
    const std::size_t last = std::min(plain.find_first_of(kOuter, first), plain.size());
    const std::string_view piece = std::string_view(plain).substr(first, last - first);
    if (piece.find_first_of(".-_") != std::string_view::npos && PlainNumber(piece).empty()) {
      sink(Cut(piece), false);
    }
    first = last + 1;
  }
}

void Tokenize(std::string_view text, bool query, const TermSink& sink) {
  const std::string folded = Fold(text);
  std::size_t i = 0;
  while (i < folded.size()) {
    DecodedCodePoint point = DecodeUtf8(folded, i);
    if (point.value >= 0 && IsUnspaced(point.value)) {
      // Byte offsets of the run's characters.
      std::size_t previous = std::string::npos;
      std::size_t count = 0;
      while (i < folded.size()) {
        point = DecodeUtf8(folded, i);
        if (point.value < 0 || !IsUnspaced(point.value)) break;
        const std::size_t next = i + point.length;
        if (!query) sink(std::string_view(folded).substr(i, point.length), false);
        if (count > 0) sink(std::string_view(folded).substr(previous, next - previous), true);
        previous = i;
        ++count;
        i = next;
      }
      if (count == 1 && query) sink(std::string_view(folded).substr(previous, i - previous), true);
      continue;
    }
    if (!IsWordPoint(point.value)) {
      i += point.length;
      continue;
    }
    // Word characters, and joiners that have word characters on both sides.
    const std::size_t begin = i;
    std::size_t end = i;
    while (i < folded.size()) {
      point = DecodeUtf8(folded, i);
      if (IsWordPoint(point.value)) {
        i += point.length;
        end = i;
      } else if (IsJoiner(point.value) && end == i) {
        i += point.length;
        // "https://host": several joiners in a row.
        if (point.value == ':' && folded.compare(i, 2, "//") == 0) i += 2;
        if (i >= folded.size() || !IsWordPoint(DecodeUtf8(folded, i).value)) break;
      } else {
        break;
      }
    }
    EmitCompound(std::string_view(folded).substr(begin, end - begin), sink);
    i = std::max(i, end);
  }
}

const std::unordered_set<std::string_view>& StopTerms() {
  // As they look after folding and stemming; apostrophes close up.
  static const std::unordered_set<std::string_view> terms = {
      "a", "about", "after", "again", "all", "also", "am", "an", "and", "ani", "any", "are", "as",
      "at", "be", "becaus", "been", "befor", "being", "but", "by", "can", "cant", "could", "did",
      "didnt", "do", "doe", "does", "doesnt", "doing", "dont", "for", "from", "get", "got", "had",
      "has", "have", "he", "her", "here", "him", "his", "how", "i", "id", "if", "ill", "im", "in",
      "into", "is", "isnt", "it", "its", "ive", "just", "me", "my", "no", "not", "of", "on", "or",
      "our", "out", "over", "please", "pleas", "s", "she", "should", "so", "some", "t", "tell",
      "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
      "to", "too", "up", "us", "was", "wasnt", "we", "were", "what", "whats", "when", "where",
      "which", "while", "who", "whom", "whi", "why", "will", "with", "wont", "would", "you", "your",
      "youre", "have", "veri", "very", "th", "st", "nd", "rd",
      // Japanese endings and question words.
      "です", "ます", "した", "して", "する", "ない", "から", "こと", "これ", "それ", "どこ",
      "いつ", "ため", "には", "では", "とは", "のは", "てい", "いる", "いま", "まし", "すか",
      "たか", "でし", "どの", "どん", "んな", "なに", "だっ", "った", "って", "もの", "よう",
      "うに"};
  return terms;
}

// Made of nothing but Chinese function characters.
bool IsChineseFunction(std::string_view term) {
  static const std::unordered_set<std::int32_t> characters = [] {
    std::unordered_set<std::int32_t> set;
    constexpr std::string_view kAll =
        "的了是在我你他她它们吗呢吧啊呀和与就都也很这那哪谁什么怎请问以及之其为被把还又再个有没不几"
        "多少时候";
    for (std::size_t i = 0; i < kAll.size();) {
      const DecodedCodePoint point = DecodeUtf8(kAll, i);
      set.insert(point.value);
      i += point.length;
    }
    return set;
  }();
  for (std::size_t i = 0; i < term.size();) {
    const DecodedCodePoint point = DecodeUtf8(term, i);
    if (!characters.contains(point.value)) return false;
    i += point.length;
  }
  return !term.empty();
}

// FTS5's side. It hands over stored text to be split, and terms of a query, which are passed on as
// they are.
int CreateTokenizer(void*, const char**, int, Fts5Tokenizer** out) {
  static int anchor;  // The tokenizer has no state; FTS5 wants a pointer that is not null.
  *out = reinterpret_cast<Fts5Tokenizer*>(&anchor);
  return SQLITE_OK;
}
void DeleteTokenizer(Fts5Tokenizer*) {}
int RunTokenizer(Fts5Tokenizer*, void* context, int flags, const char* text, int bytes,
                 int (*token)(void*, int, const char*, int, int, int)) {
  if (bytes <= 0 || text == nullptr) return SQLITE_OK;
  if ((flags & FTS5_TOKENIZE_QUERY) != 0) return token(context, 0, text, bytes, 0, bytes);
  int rc = SQLITE_OK;
  TokenizeText({text, static_cast<std::size_t>(bytes)}, [&](std::string_view term, bool) {
    if (rc == SQLITE_OK) {
      rc = token(context, 0, term.data(), static_cast<int>(term.size()), 0, bytes);
    }
  });
  return rc;
}

thread_local const PostingSink* posting_sink = nullptr;
thread_local std::size_t posting_term = 0;

int CollectPosting(const Fts5ExtensionApi* api, Fts5Context* context, void*) {
  Fts5PhraseIter iterator;
  int column = 0;
  int offset = 0;
  int count = 0;
  const int rc = api->xPhraseFirst(context, 0, &iterator, &column, &offset);
  if (rc != SQLITE_OK) return rc;
  for (; column >= 0; api->xPhraseNext(context, &iterator, &column, &offset)) ++count;
  (*posting_sink)(posting_term, api->xRowid(context), count);
  return SQLITE_OK;
}

// Lists the postings of every phrase at once: FTS5 walks each term's rows without the detour over
// SQL rows.
void Postings(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int,
              sqlite3_value**) {
  if (posting_sink == nullptr) {
    sqlite3_result_error(result, "liubai_postings is for the library's own use", -1);
    return;
  }
  const int phrases = api->xPhraseCount(context);
  for (int i = 0; i < phrases; ++i) {
    posting_term = static_cast<std::size_t>(i);
    const int rc = api->xQueryPhrase(context, i, nullptr, CollectPosting);
    if (rc != SQLITE_OK) {
      sqlite3_result_error_code(result, rc);
      return;
    }
  }
  sqlite3_result_int(result, phrases);
}

}  // namespace

void TokenizeText(std::string_view text, const TermSink& sink) { Tokenize(text, false, sink); }

std::unordered_set<std::string> TermSet(std::string_view text) {
  std::unordered_set<std::string> terms;
  TokenizeText(text, [&](std::string_view term, bool) { terms.emplace(term); });
  return terms;
}

bool HasTerm(std::string_view text) {
  bool found = false;
  Tokenize(text, false, [&](std::string_view, bool) { found = true; });
  return found;
}

bool HasContent(std::string_view text) {
  bool content = false;
  Tokenize(text, true, [&](std::string_view term, bool) {
    content |= !StopTerms().contains(term) && !IsChineseFunction(term);
  });
  return content;
}

int CountTerms(std::string_view text) {
  int count = 0;
  TokenizeText(text, [&](std::string_view, bool counts) { count += counts ? 1 : 0; });
  return count;
}

std::vector<std::string> QueryTerms(std::string_view query, std::size_t limit) {
  std::vector<std::string> kept;
  std::vector<std::string> all;
  std::unordered_set<std::string> seen;
  Tokenize(query, true, [&](std::string_view term, bool) {
    if (all.size() >= 4 * limit || !seen.emplace(term).second) return;
    all.emplace_back(term);
    if (StopTerms().contains(term) || IsChineseFunction(term)) return;
    if (kept.size() < limit) kept.emplace_back(term);
  });
  if (!kept.empty()) return kept;
  if (all.size() > limit) all.resize(limit);
  return all;
}

std::string MatchExpression(const std::vector<std::string>& terms) {
  std::string out;
  for (const std::string& term : terms) {
    if (!out.empty()) out += " OR ";
    out.push_back('"');
    for (const char c : term) {
      if (c == '"') out.push_back('"');
      out.push_back(c);
    }
    out.push_back('"');
  }
  return out;
}

void SetPostingSink(const PostingSink* sink) { posting_sink = sink; }

Status RegisterFullText(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  if (api == nullptr)
    return Status(StatusCode::kUnimplemented, "this SQLite was built without FTS5");
  fts5_tokenizer tokenizer{CreateTokenizer, DeleteTokenizer, RunTokenizer};
  const std::string name(kTokenizerName);
  if (api->xCreateTokenizer(api, name.c_str(), nullptr, &tokenizer, nullptr) != SQLITE_OK ||
      api->xCreateFunction(api, "liubai_postings", nullptr, Postings, nullptr) != SQLITE_OK) {
    return Status(StatusCode::kInternal, "FTS5 refused the tokenizer");
  }
  return Status();
}

}  // namespace liubai::memory
