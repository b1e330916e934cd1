// What is written with signs: code, addresses, files, identifiers, telephone numbers, quotations.
#include <algorithm>

#include "memory/ledger_gazetteer.h"
#include "memory/ledger_scan.h"
#include "memory/ledger_words.h"

namespace liubai::memory {

using words::Has;

namespace {

bool IsLower(std::int32_t c) { return c >= 'a' && c <= 'z'; }

// Hosts end so: "example.org/setup".
constexpr std::string_view kDomains[] = {"com", "org", "net", "io", "edu", "gov",     "cn",   "dev",
                                         "app", "uk",  "de",  "fr", "jp",  "example", "info", "me",
                                         "co",  "ai",  "us",  "eu", "tv",  "xyz",     "tech"};
// Before digits and capitals these say that they name one of many.
constexpr std::string_view kNumbered[] = {
    "account",  "order",    "invoice",     "ticket",  "id",      "number",  "tracking",
    "serial",   "plate",    "reference",   "card",    "iban",    "vin",     "policy",
    "contract", "employee", "member",      "licence", "license", "booking", "case",
    "student",  "customer", "passport",    "frame",   "no",      "code",    "pin",
    "password", "passcode", "combination", "ref",     "nr",      "sn"};
// Before a number of one to four digits: rooms, beds and places of a house.
constexpr std::string_view kHoused[] = {"room",  "bed",  "desk",  "ward",     "channel", "locker",
                                        "booth", "bay",  "pitch", "berth",    "cubicle", "theatre",
                                        "suite", "flat", "apt",   "apartment"};
constexpr std::string_view kChineseNumbered[] = {
    "尾号",   "卡号",   "账号",   "帐号",   "学号",   "工号",   "单号",   "编号",
    "票号",   "证号",   "案号",   "序列号", "订单号", "密码",   "验证码", "口令",
    "取件码", "提货码", "激活码", "号码",   "运单",   "会员号", "识别码"};
// One capital behind these is a name: "exit C".
constexpr std::string_view kLettered[] = {"exit",    "gate",     "building", "block",    "wing",
                                          "section", "hall",     "zone",     "platform", "lot",
                                          "tower",   "entrance", "bay",      "ward"};
constexpr std::string_view kBlood[] = {"-negative", "-positive"};
constexpr std::string_view kProvinces =
    "京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼";

}  // namespace

std::size_t DetailScanner::Code(std::size_t i) {
  const bool fence = at(i + 1) == '`' && at(i + 2) == '`';
  const std::size_t open = fence ? 3 : 1, most = fence ? 4000 : 200;
  for (std::size_t j = i + open; j < size() && j - i <= most; ++j) {
    if (!fence && at(j) == '\n') break;
    if (at(j) == '`' && (!fence || (at(j + 1) == '`' && at(j + 2) == '`'))) {
      if (j == i + open) break;
      std::size_t begin = i + open;
      if (fence) {  // "```python" names the language.
        const std::size_t word = WordEnd(begin);
        if (at(word) == '\n' && word + 1 < j) begin = word + 1;
      }
      Add(DetailKind::kCode, begin, j);
      return j + open;
    }
  }
  return i + open;
}

// "parse_header(data)", "list.sort()": no blank before the parenthesis.
std::size_t DetailScanner::Call(std::size_t i) const {
  std::size_t name = i;
  int signs = 0, upper = 0;
  for (; IsAsciiWord(at(name)) || at(name) == '_' || at(name) == '.' || at(name) == ':'; ++name) {
    signs += at(name) == '_' || at(name) == '.' || at(name) == ':';
    upper += name > i && at(name) >= 'A' && at(name) <= 'Z' && IsLower(at(name - 1));
  }
  if (name < i + 2 || at(name) != '(' || !IsAsciiWord(at(name - 1))) return i;
  std::size_t end = name + 1;
  int depth = 1, digits = 0;
  for (; end < size() && end - name < 60 && depth > 0 && at(end) != '\n'; ++end) {
    depth += at(end) == '(' ? 1 : at(end) == ')' ? -1 : 0;
    digits += IsAsciiDigit(at(end)) || at(end) == '"' || at(end) == '\'' || at(end) == '=';
  }
  if (depth > 0) return i;
  const bool empty = end == name + 2;
  // "friend(s)", "item(es)" are words.
  return empty || signs + upper > 0 || (digits > 0 && IsLower(at(name - 1))) ? end : i;
}

// "pytest --lf -x", "docker compose up -d": a command with its flags; of a program that everyone
// knows also with the words before them.
std::size_t DetailScanner::CommandLine(std::size_t i) const {
  static constexpr std::string_view kPrograms[] = {
      "docker", "git",  "npm",    "pip",  "cargo", "kubectl", "python", "pytest", "make",
      "cmake",  "brew", "apt",    "sudo", "ssh",   "scp",     "curl",   "wget",   "tar",
      "ls",     "rm",   "cp",     "mv",   "grep",  "python3", "node",   "yarn",   "go",
      "ninja",  "helm", "ffmpeg", "java", "mvn",   "gradle",  "rsync",  "chmod",  "systemctl"};
  const auto word_end = [&](std::size_t from) {
    while (IsLower(at(from)) || IsAsciiDigit(at(from)) || at(from) == '_' || at(from) == '.' ||
           at(from) == '/')
      ++from;
    return from;
  };
  std::size_t end = word_end(i);
  if (end < i + 2 || at(end) != ' ') return i;
  if (Has(kPrograms, Lower(i, end))) {
    std::size_t j = end;
    for (int words = 0; words < 3 && at(j) == ' ' && IsLower(at(j + 1)); ++words) {
      j = word_end(j + 1);
      if (at(j) == ' ' && at(j + 1) == '-' && at(j + 2) != ' ') end = j;
    }
  }
  bool flagged = false;
  while (at(end) == ' ' && at(end + 1) == '-') {
    std::size_t flag = end + 2;
    if (at(flag) == '-') ++flag;
    if (!IsLower(at(flag))) break;
    if (flag == end + 2 && IsAsciiLetter(at(flag + 1))) break;  // "-x" has one letter.
    while (IsAsciiWord(at(flag)) || at(flag) == '-' || at(flag) == '=') ++flag;
    end = flag;
    flagged = true;
  }
  return flagged ? end : i;
}

std::size_t DetailScanner::Url(std::size_t i) const {
  const bool scheme = Is(i, "http://") || Is(i, "https://") || Is(i, "www.") || Is(i, "ftp://");
  if (!scheme) {
    // A host with a path, or one of three labels and more.
    std::size_t end = i, label = i;
    int dots = 0;
    while (IsAsciiWord(at(end)) || at(end) == '-' || at(end) == '.') {
      if (at(end) == '.') ++dots, label = end + 1;
      ++end;
    }
    if (dots == 0 || at(end) == '@' || !IsAsciiLetter(at(label))) return i;
    if (!Has(kDomains, Lower(label, end))) return i;
    if (dots == 1 && at(end) != '/' && label - i < 4) return i;
  }
  std::size_t end = i;
  while (end < size() && at(end) > ' ' && at(end) < 127 && at(end) != '"' && at(end) != '<' &&
         at(end) != '>' && at(end) != '`')
    ++end;
  while (end > i &&
         (at(end - 1) == '.' || at(end - 1) == ',' || at(end - 1) == ')' || at(end - 1) == ';' ||
          at(end - 1) == '!' || at(end - 1) == '?' || at(end - 1) == ':' || at(end - 1) == '\''))
    --end;
  return end - i > 6 ? end : i;
}

// "报告_最终版.pdf": characters of Chinese before a known extension, from the last verb or particle
// on.
std::size_t DetailScanner::ChineseFile(std::size_t i) const {
  static constexpr std::string_view kBreaks =
      "是和在把叫与到里的看开发传存及有用给从跟或被将，。、：；（）“”《》";
  std::size_t end = i;
  while (end < i + 24 &&
         (IsCjkIdeograph(at(end)) || IsAsciiWord(at(end)) || at(end) == '_' || at(end) == '-')) {
    if (IsCjkIdeograph(at(end)) && InList(at(end), kBreaks)) return i;
    ++end;
  }
  if (end == i || at(end) != '.') return i;
  const std::size_t extension = WordEnd(end + 1);
  return Has(words::kExtensions, Lower(end + 1, extension)) ? extension : i;
}

// What stands before `i` says that a number there names something.
bool DetailScanner::Numbered(std::size_t i) const {
  std::size_t j = i;
  for (int words = 0; words < 3; ++words) {
    while (j > 0 && (at(j - 1) == ' ' || at(j - 1) == ':' || at(j - 1) == '#' || at(j - 1) == '.'))
      --j;
    const std::string word = WordBefore(j);
    if (word.empty()) break;
    if (Has(kNumbered, word)) return true;
    if (word != "is" && word != "was" && word != "number" && word != "to") break;
    j -= word.size();
  }
  std::size_t tail = i;
  while (tail > 0 && (at(tail - 1) == ' ' || at(tail - 1) == ':' || at(tail - 1) == U'是' ||
                      at(tail - 1) == U'为'))
    --tail;
  const std::string_view before = Bytes(0, tail);
  return std::any_of(std::begin(kChineseNumbered), std::end(kChineseNumbered),
                     [&](std::string_view label) { return before.ends_with(label); });
}

// Groups of capitals and digits: "WTU 117 C 0042" behind "frame number", a bank account of any
// country, the sixteen digits and more of a card.
std::size_t DetailScanner::IdentifierGroups(std::size_t i) const {
  std::size_t end = i, j = i;
  int groups = 0, digits = 0, fours = 0;
  const bool account = at(i) >= 'A' && at(i) <= 'Z' && at(i + 1) >= 'A' && at(i + 1) <= 'Z' &&
                       IsAsciiDigit(at(i + 2)) && IsAsciiDigit(at(i + 3)) && at(i + 4) == ' ';
  while (groups < 8) {
    std::size_t k = j;
    int here = 0;
    bool all_digits = true;
    while (IsAsciiDigit(at(k)) || (at(k) >= 'A' && at(k) <= 'Z') ||
           (k > j && at(k) == '-' && IsAsciiWord(at(k + 1)))) {
      here += IsAsciiDigit(at(k));
      all_digits &= IsAsciiDigit(at(k));
      ++k;
    }
    if (k == j || IsAsciiWord(at(k)) || (here == 0 && groups > 0 && k > j + 1 && !account)) break;
    digits += here;
    fours += all_digits && k - j == 4;
    ++groups;
    end = k;
    if (at(k) != ' ') break;
    j = k + 1;
  }
  if (digits == 0) return i;
  if (groups == 1 && digits == static_cast<int>(end - i) && digits <= 4 &&
      Has(kHoused, WordBefore(i)) && at(i - 1) == ' ' && at(end) != ':' && at(end) != '-' &&
      !(at(end) == '.' && IsAsciiDigit(at(end + 1))) && !Has(words::kUnits, WordAt(end).first))
    return end;
  // "020 7946 0731" is a telephone number.
  if (at(i) == '0' && groups > 1 && digits >= 9 && digits <= 12 && NumberEnd(i) <= i + 5) {
    bool plain = true;
    for (std::size_t k = i; k < end; ++k) plain &= IsAsciiDigit(at(k)) || at(k) == ' ';
    if (plain) return i;
  }
  const bool card = fours >= 3 && groups <= fours + 2;
  if (groups >= 2 && (card || Numbered(i))) return end;
  // Digits alone, or with signs: "account 4417-882-0093".
  // A mobile number is one of its own.
  const bool mobile = digits == 11 && end - i == 11 && at(i) == '1';
  if (groups == 1 && digits >= 3 && !mobile && Numbered(i)) return end;
  return i;
}

// 浙A·8K420
std::size_t DetailScanner::ChinesePlate(std::size_t i) const {
  if (!InList(at(i), kProvinces) || !(at(i + 1) >= 'A' && at(i + 1) <= 'Z')) return i;
  std::size_t j = i + 2;
  if (at(j) == U'·' || at(j) == 0x2022 || at(j) == '-' || at(j) == ' ') ++j;
  std::size_t end = j;
  int digits = 0;
  while (IsAsciiDigit(at(end)) || (at(end) >= 'A' && at(end) <= 'Z'))
    digits += IsAsciiDigit(at(end++));
  return digits > 0 && (end - j == 5 || end - j == 6) ? end : i;
}

bool DetailScanner::Lettered(std::size_t i) const {
  return at(i) >= 'A' && at(i) <= 'Z' && !IsAsciiWord(at(i + 1)) && at(i + 1) != '\'' &&
         (at(i + 1) != '.' || ClauseEndsAt(i + 1)) && Has(kLettered, WordBefore(i)) &&
         at(i - 1) == ' ';
}

// E-mail addresses, file names, paths, identifiers: a run of word characters and signs.
std::size_t DetailScanner::Compound(std::size_t i) {
  std::size_t end = i;
  bool mail = false;
  int digits = 0, letters = 0, signs = 0, upper = 0, slashes = 0, dots = 0, underscores = 0;
  for (; end < size(); ++end) {
    const std::int32_t c = at(end);
    if (IsAsciiDigit(c)) {
      ++digits;
    } else if (IsAsciiLetter(c)) {
      ++letters;
      upper += c < 'a';
    } else if (c == '@' && !mail && end > i) {
      mail = true;
    } else if (c == '_') {
      ++underscores;
    } else if (c == '-' || c == '.' || c == '/' || c == '+' || c == '#' || c == '~' || c == '%' ||
               c == '\\' || c == ':') {
      signs += c != '#';
      slashes += c == '/' || c == '\\';
      dots += c == '.';
    } else {
      break;
    }
  }
  bool folder = false;
  while (end > i && !IsAsciiWord(at(end - 1)) && at(end - 1) != '_') {
    const std::int32_t c = at(end - 1);
    signs -= c != '#';
    slashes -= c == '/' || c == '\\';
    dots -= c == '.';
    folder = c == '/';
    --end;
  }
  if (end <= i + 1) return i;
  const std::string word = NarrowText(i, end);
  if (mail) {
    const auto sign = word.find('@');
    const auto dot = word.rfind('.');
    if (sign != std::string::npos && dot != std::string::npos && dot > sign + 1 &&
        dot + 2 < word.size()) {
      return Add(DetailKind::kEmail, i, end);
    }
    if (at(i) == '@') return i;
  }
  if (end < size() && at(end) > 127 && IsLetter(at(end)) && !IsCjk(at(end))) return i;
  const auto dot = word.rfind('.');
  if (dot != std::string::npos && dot > 0 && dot + 1 < word.size() && letters > 0 &&
      Has(words::kExtensions, ToLowerUtf8(word.substr(dot + 1)))) {
    return Add(DetailKind::kFile, i, end);
  }
  if ((at(i) == '/' || at(i) == '~') && slashes >= 2 && letters > 1) {
    return Add(DetailKind::kFile, i, end + folder);
  }
  if (at(i) == '/' || at(i) == '~' || at(i) == '.') return i;
  // "tests/unit/", "src/net/socket", "tests/unit" before "folder" or 目录.
  if (slashes > 0 && letters > 3 && upper < letters && word.find(':') == word.npos) {
    const auto [after, after_end] = WordAt(end);
    const bool named = after == "folder" || after == "directory" || Is(SkipBlanks(end), "目录") ||
                       Is(SkipBlanks(end), "文件夹");
    if (folder) return Add(DetailKind::kFile, i, end + 1);
    if (named || slashes >= 2) return Add(DetailKind::kFile, i, end);
  }
  if (at(i) == '#') return digits > 0 ? Add(DetailKind::kIdentifier, i, end) : i;
  if (underscores > 0 && letters > 0) return Add(DetailKind::kIdentifier, i, end);
  if (letters == 0) {  // 192.168.1.10, 1.2.3
    if (dots >= 2 && slashes == 0 && signs == dots && !LooksLikeDottedDate(word)) {
      return Add(DetailKind::kIdentifier, i, end);
    }
    return i;
  }
  if (digits == 0) {
    // "visitorCount": a capital inside; "iPhone" and "eBay" are names.
    if (signs == 0 && IsLower(at(i)) && upper > 0) {
      const bool product = at(i + 1) >= 'A' && at(i + 1) <= 'Z' && IsLower(at(i + 2));
      if (product) return Add(DetailKind::kName, i, end);
      if (letters > 4) return Add(DetailKind::kIdentifier, i, end);
    }
    // ALL-CAPS-WITH-SIGNS.
    if (signs > 0 && upper == letters && letters > 3 && slashes == 0 && word.find(':') == word.npos)
      return Add(DetailKind::kIdentifier, i, end);
    return i;
  }
  // "NG/2026/004417"
  if (slashes > 0 && upper == letters && digits > 2 && letters > 0 && word.find(':') == word.npos)
    return Add(DetailKind::kIdentifier, i, end);
  if (word.find(':') != std::string::npos || slashes > 1) return i;
  // Words that are written with a digit.
  static constexpr std::string_view kDigitWords[] = {"k8s", "i18n", "l10n", "a11y", "p2p",
                                                     "b2b", "b2c",  "co2",  "h2o",  "m8",
                                                     "gr8", "l8r",  "e2e",  "o11y"};
  if (Has(kDigitWords, ToLowerUtf8(word))) return end;
  // "Q3" is a quarter of a year.
  if (upper == 1 && letters == 1 && digits == 1 && at(i) == 'Q' && at(i + 1) <= '4') return i;
  // "3pm", "20kg", "5th", "1990s", "12-year-old", "30-minute": quantities, not identifiers.
  if (IsAsciiDigit(at(i))) {
    std::size_t j = i;
    while (IsAsciiDigit(at(j)) || at(j) == '.' || at(j) == ',') ++j;
    const std::string rest = Lower(j, end);
    if (dots >= 2 && rest.size() > 1 && rest[0] == '-')  // "0.9.7-beta"
      return Add(DetailKind::kIdentifier, i, end);
    // "14A" is a seat; "16A", "5G" and "4K" are quantities.
    static constexpr std::string_view kSeats = "ABDEHJNPRSXYZ";
    if (rest.size() == 1 && upper == 1 && j - i <= 3 &&
        kSeats.find(static_cast<char>(at(j))) != kSeats.npos && at(i) != '0')
      return Add(DetailKind::kIdentifier, i, end);
    if (upper == 0 || digits <= 3) {
      if (rest.size() <= 2 || Has(words::kUnits, rest) || (rest[0] == '-' && !Has(kBlood, rest))) {
        if (upper < 2 || Has(words::kUnits, rest)) return i;
      }
    }
    if (rest == "st" || rest == "nd" || rest == "rd" || rest == "th" || rest == "s") return i;
    if (Has(words::kUnits, rest) || Has(words::kScales, rest)) return i;
    if (rest.find('/') != rest.npos && Has(words::kUnits, rest)) return i;
  }
  // "mid-1990s", "pre-2020": a date or a number with a lead.
  if (upper == 0 && (Is(i, "mid-") || Is(i, "pre-") || Is(i, "post-"))) return i + 4;
  // "GPT-4" and "A7" are identifiers; "covid-19" too.
  return Add(DetailKind::kIdentifier, i, end);
}

bool DetailScanner::LooksLikeDottedDate(std::string_view word) {
  const auto first = word.find('.'), last = word.rfind('.');
  return first != last && first <= 2 && last - first <= 3 && word.size() - last == 5;
}

// Groups of digits with separators, 7 to 15 digits in all; an 11-digit mobile number.
std::size_t DetailScanner::Phone(std::size_t i) const {
  std::size_t j = i, end = i;
  int digits = 0, groups = 0, group = 0, largest = 0;
  bool plus = false, paren = false;
  if (at(j) == '+') plus = true, ++j;
  for (; j < size(); ++j) {
    const std::int32_t c = at(j);
    if (IsAsciiDigit(c)) {
      if (group == 0) ++groups;
      ++digits;
      largest = std::max(largest, ++group);
      end = j + 1;
    } else if ((c == '-' || c == ' ' || c == '(' || c == ')') && (j == i || j <= end + 1)) {
      if (c == '(') paren = true;
      group = 0;
    } else {
      break;
    }
  }
  if (IsAsciiLetter(at(end))) return i;
  if (digits >= 3 && digits <= 6 && groups == 1 && at(i) != '+' && at(i) != '(')
    return CalledAt(i) ? end : i;
  if (digits < 7 || digits > 15) return i;
  if (groups == 1 && !plus) {
    if (digits == 11 && at(i) == '1' && at(i + 1) >= '3') return end;
    return CalledAt(i) ? end : i;
  }
  if (groups > 6 || largest > 11) return i;
  const std::string shown = NarrowText(i, end);
  if (shown.size() == 10 && shown[4] == '-' && shown[7] == '-') return i;  // A date.
  if (plus || paren) return end;
  // Blanks alone join numbers of lists; a hyphen joins telephone numbers.
  if (shown.find('-') == std::string::npos &&
      !(digits >= 10 && ((shown[0] == '1' && largest <= 4) || (shown[0] == '0' && largest <= 5))) &&
      !CalledAt(i))
    return i;
  if (digits == 8 && groups == 2 && shown.size() == 9 && shown[4] == '-' &&
      (shown.starts_with("19") || shown.starts_with("20")))
    return i;  // 2019-2024
  return end;
}

// A number that is called: "call 112", "the hotline is 95588", 报警电话110.
bool DetailScanner::CalledAt(std::size_t i) const {
  static constexpr std::string_view kCalls[] = {"call", "dial", "phone", "hotline",
                                                "tel",  "ring", "fax",   "text"};
  static constexpr std::string_view kChinese[] = {"电话", "拨打", "客服", "传真", "座机",
                                                  "热线", "手机", "打",   "拨"};
  // The clause before it.
  std::size_t begin = i;
  while (begin > 0 && i - begin < 40 && at(begin - 1) != ',' && at(begin - 1) != '.' &&
         at(begin - 1) != ';' && at(begin - 1) != '\n' && at(begin - 1) != 0x3002 &&
         at(begin - 1) != U'，' && at(begin - 1) != U'；')
    --begin;
  const std::string clause = Lower(begin, i);
  std::size_t unused = 0;
  if (FindAnyWord(clause, kCalls, &unused) != clause.npos) {
    // "a call at 4471" names no line; the number follows the word nearly at once.
    const auto [after, after_end] = WordAt(WordEnd(i));
    return clause.find(" at ", unused) == clause.npos && !Has(words::kUnits, after);
  }
  if (clause.find("emergency number") != clause.npos) return true;
  std::size_t tail = i;
  while (tail > begin && (at(tail - 1) == ' ' || at(tail - 1) == ':' || at(tail - 1) == U'：' ||
                          at(tail - 1) == U'是' || at(tail - 1) == U'为'))
    --tail;
  const std::string_view before = Bytes(begin, tail);
  const std::size_t past = WordEnd(i);
  return at(past) != U'个' && at(past) != U'分' && at(past) != U'折' &&
         std::any_of(std::begin(kChinese), std::end(kChinese),
                     [&](std::string_view call) { return before.ends_with(call); });
}

void DetailScanner::Quotes() {
  struct Pair {
    std::int32_t open, close;
  };
  static constexpr Pair kPairs[] = {{'"', '"'},       {0x201C, 0x201D}, {0x300C, 0x300D},
                                    {0x300E, 0x300F}, {0x300A, 0x300B}, {0xAB, 0xBB}};
  for (std::size_t i = 0; i < size() && details_.size() < kMostDetails; ++i) {
    for (const Pair& pair : kPairs) {
      if (at(i) != pair.open) continue;
      for (std::size_t j = i + 1; j < size() && j - i < 400; ++j) {
        if (at(j) == '\n') break;
        if (at(j) != pair.close) continue;
        if (j > i + 2 && !(pair.open == '"' && i > 0 && IsAsciiDigit(at(i - 1)))) {
          DropTitleWords(i + 1, j);
          if (pair.open == 0x300A) DropInside(i + 1, j);
          Add(DetailKind::kQuote, i + 1, j);
        }
        i = j;
        break;
      }
      break;
    }
  }
}

// What a work is called says nothing itself: 《庆余年2》.
void DetailScanner::DropInside(std::size_t begin, std::size_t end) {
  std::erase_if(details_, [&](const Detail& detail) {
    return detail.begin >= offset_[begin] && detail.end <= offset_[end];
  });
}

// The capitals of a title are no names of their own: "Rivers and Memory".
void DetailScanner::DropTitleWords(std::size_t begin, std::size_t end) {
  bool title = true;
  for (std::size_t i = begin; i < end;) {
    const std::size_t word = WordEnd(i);
    if (word == i) {
      title &= at(i) != '.' && at(i) != '!' && at(i) != '?';
      ++i;
      continue;
    }
    title &= IsUpper(at(i)) || word - i <= 3;
    i = word;
  }
  if (!title) return;
  std::erase_if(details_, [&](const Detail& detail) {
    return IsNameKind(detail.kind) && detail.begin >= offset_[begin] && detail.end <= offset_[end];
  });
}

}  // namespace liubai::memory
