#include "engine/grammar.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::engine {
namespace {

constexpr char32_t kLastCodePoint = 0x10ffff;
// Least code point that is written in so many bytes.
constexpr std::uint32_t kLeastOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
// Short escapes of JSON and what they stand for.
constexpr std::pair<char, char32_t> kEscapes[] = {{'"', '"'}, {'\\', '\\'}, {'/', '/'}, {'b', 8},
                                                  {'f', 12},  {'n', 10},    {'r', 13},  {'t', 9}};

// A code point that a string can hold, as it is or as a short escape.
bool IsWritable(char32_t point) {
  return point >= 0x20 || std::any_of(std::begin(kEscapes), std::end(kEscapes),
                                      [&](const auto& escape) { return escape.second == point; });
}

}  // namespace

CharClass::CharClass(std::vector<CodePointRange> allowed) {
  if (allowed.empty()) allowed = {{0x20, 0x7e}, {0xa0, kLastCodePoint}};
  std::vector<CodePointRange> parts;
  const auto add = [&](char32_t first, char32_t last) {
    if (first <= last) parts.push_back({first, last});
  };
  for (const CodePointRange& range : allowed) {
    const char32_t last = std::min(range.last, kLastCodePoint);
    for (char32_t point = range.first; point < 0x20 && point <= last; ++point) {
      if (IsWritable(point)) add(point, point);
    }
    add(std::max<char32_t>(range.first, 0x20), std::min<char32_t>(last, 0xd7ff));
    add(std::max<char32_t>(range.first, 0xe000), last);  // Between the two are surrogates.
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const CodePointRange& part : parts) {
    if (!ranges_.empty() && part.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, part.last);
    } else {
      ranges_.push_back(part);
    }
  }
  escapes_ = std::any_of(std::begin(kEscapes), std::end(kEscapes),
                         [&](const auto& escape) { return Contains(escape.second); });
}

bool CharClass::Meets(char32_t first, char32_t last) const {
  const auto at = std::lower_bound(
      ranges_.begin(), ranges_.end(), first,
      [](const CodePointRange& range, char32_t point) { return range.last < point; });
  return at != ranges_.end() && at->first <= last;
}

bool CharClass::Step(unsigned char byte, Place* place, bool* begun) const {
  *begun = place->pending == 0;
  if (place->pending == kEscape) {
    *place = {};
    return std::any_of(std::begin(kEscapes), std::end(kEscapes), [&](const auto& escape) {
      return escape.first == static_cast<char>(byte) && Contains(escape.second);
    });
  }
  if (place->pending == 0) {
    if (byte == '\\') {
      place->pending = kEscape;
      return escapes_;
    }
    if (byte < 0x80) return byte >= 0x20 && byte != '"' && Contains(byte);
    place->length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (byte < 0xc2 || byte > 0xf4) return false;
    place->pending = static_cast<std::uint8_t>(place->length - 1);
    place->point = byte & (0x7fu >> place->length);
  } else {
    if ((byte & 0xc0) != 0x80) return false;
    place->point = place->point << 6 | (byte & 0x3fu);
    --place->pending;
  }
  const int bits = 6 * place->pending;
  const std::uint32_t first = std::max(place->point << bits, kLeastOfLength[place->length]);
  const std::uint32_t last = place->point << bits | ((1u << bits) - 1);
  if (place->pending == 0) *place = {};
  return first <= last && Meets(first, last);
}

// Appends the instructions of one part after another; each falls through to the next.
class GrammarCompiler {
 public:
  explicit GrammarCompiler(GrammarAutomaton& out) : out_(out) {}

  Status Add(const Grammar& grammar, std::size_t depth) {
    using Kind = Grammar::Node::Kind;
    const Grammar::Node& node = grammar.node();
    switch (node.kind) {
      case Kind::kText:
        AddBytes(node.texts.front());
        break;
      case Kind::kEnum: {
        std::vector<std::string> quoted;
        for (const std::string& text : node.texts) quoted.push_back(Quoted(text));
        AddLiterals(std::move(quoted));
        break;
      }
      case Kind::kString:
        AddString(node.shape);
        break;
      case Kind::kInteger:
        Emit(Op::kInteger, static_cast<std::uint32_t>(out_.numbers_.size()));
        out_.numbers_.emplace_back(node.least, node.most);
        break;
      case Kind::kArray:
        LIUBAI_RETURN_IF_ERROR(AddArray(node, depth));
        break;
      case Kind::kObject:
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
          AddBytes(i == 0 ? "{" : ",");
          if (i > 0) AddOptionalBlank();
          AddBytes(Quoted(node.texts[i]) + ":");
          AddOptionalBlank();
          LIUBAI_RETURN_IF_ERROR(Add(node.parts[i], depth));
        }
        AddBytes(node.parts.empty() ? "{}" : "}");
        break;
      case Kind::kOneOf: {
        const std::uint32_t split = EmitSplit(node.parts.size());
        std::vector<std::uint32_t> jumps;
        for (std::size_t i = 0; i < node.parts.size(); ++i) {
          SetTarget(split, i, Here());
          LIUBAI_RETURN_IF_ERROR(Add(node.parts[i], depth));
          jumps.push_back(Emit(Op::kJump));
        }
        for (const std::uint32_t jump : jumps) out_.program_[jump].a = Here();
        break;
      }
      case Kind::kSequence:
        for (const Grammar& part : node.parts) LIUBAI_RETURN_IF_ERROR(Add(part, depth));
        break;
    }
    if (out_.program_.size() <= kMaxProgram) return Status();
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("the grammar takes more than {} instructions", kMaxProgram));
  }

  void Finish() { Emit(Op::kAccept); }

  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      const auto escape = std::find_if(
          std::begin(kEscapes), std::end(kEscapes),
          [&](const auto& one) { return one.second == static_cast<unsigned char>(c) && c != '/'; });
      if (escape != std::end(kEscapes)) {
        quoted += {'\\', escape->first};
      } else if (static_cast<unsigned char>(c) < 0x20) {
        quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        quoted += c;
      }
    }
    return quoted + '"';
  }

 private:
  using Op = GrammarAutomaton::Op;
  static constexpr std::size_t kMaxProgram = std::size_t{1} << 22;

  std::uint32_t Here() const { return static_cast<std::uint32_t>(out_.program_.size()); }
  std::uint32_t Emit(Op op, std::uint32_t a = 0, std::uint32_t b = 0) {
    out_.program_.push_back({op, a, b});
    return Here() - 1;
  }
  std::uint32_t EmitSplit(std::size_t targets) {
    const auto first = static_cast<std::uint32_t>(out_.targets_.size());
    out_.targets_.resize(first + targets);
    return Emit(Op::kSplit, first, static_cast<std::uint32_t>(targets));
  }
  void SetTarget(std::uint32_t split, std::size_t which, std::uint32_t target) {
    out_.targets_[out_.program_[split].a + which] = target;
  }
  void AddBytes(std::string_view bytes) {
    for (const char byte : bytes) Emit(Op::kByte, static_cast<unsigned char>(byte));
  }
  void AddOptionalBlank() {
    const std::uint32_t split = EmitSplit(2);
    SetTarget(split, 0, Here());
    AddBytes(" ");
    SetTarget(split, 1, Here());
  }

  // None of them is the beginning of another: each ends with its only bare quote.
  void AddLiterals(std::vector<std::string> literals) {
    std::sort(literals.begin(), literals.end());
    literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
    std::vector<std::uint32_t> jumps;
    AddTree(literals, 0, literals.size(), 0, &jumps);
    for (const std::uint32_t jump : jumps) out_.program_[jump].a = Here();
  }
  void AddTree(const std::vector<std::string>& literals, std::size_t begin, std::size_t end,
               std::size_t at, std::vector<std::uint32_t>* jumps) {
    while (at < literals[begin].size() && literals[begin][at] == literals[end - 1][at]) {
      Emit(Op::kByte, static_cast<unsigned char>(literals[begin][at++]));
    }
    if (at == literals[begin].size()) {
      jumps->push_back(Emit(Op::kJump));
      return;
    }
    std::vector<std::size_t> groups;
    for (std::size_t i = begin; i < end; ++i) {
      if (i == begin || literals[i][at] != literals[i - 1][at]) groups.push_back(i);
    }
    const std::uint32_t split = EmitSplit(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      SetTarget(split, i, Here());
      AddTree(literals, groups[i], i + 1 < groups.size() ? groups[i + 1] : end, at, jumps);
    }
  }

  void AddString(const Grammar::StringShape& shape) {
    const CharClass wanted(shape.allowed);
    AddBytes("\"");
    auto& classes = out_.classes_;
    const auto same = [&](const CharClass& one) {
      return std::equal(
          one.ranges().begin(), one.ranges().end(), wanted.ranges().begin(), wanted.ranges().end(),
          [](const auto& a, const auto& b) { return a.first == b.first && a.last == b.last; });
    };
    const auto at = std::find_if(classes.begin(), classes.end(), same) - classes.begin();
    if (static_cast<std::size_t>(at) == classes.size()) classes.push_back(wanted);
    Emit(Op::kChars, static_cast<std::uint32_t>(out_.chars_.size()));
    out_.chars_.push_back({static_cast<std::uint32_t>(at),
                           static_cast<std::uint32_t>(shape.min_chars),
                           static_cast<std::uint32_t>(shape.max_chars)});
  }

  Status AddArray(const Grammar::Node& node, std::size_t depth) {
    if (node.most == 0) {
      AddBytes("[]");
      return Status();
    }
    if (depth == GrammarAutomaton::kMaxDepth) {
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("more than {} arrays are within one another", depth));
    }
    AddBytes("[");
    Emit(Op::kBegin, static_cast<std::uint32_t>(depth));
    std::uint32_t split = 0;
    if (node.least == 0) split = EmitSplit(2);
    if (node.least == 0) SetTarget(split, 0, Here());
    const std::uint32_t item = Here();
    LIUBAI_RETURN_IF_ERROR(Add(node.parts.front(), depth + 1));
    const auto loop = static_cast<std::uint32_t>(out_.loops_.size());
    Emit(Op::kNext, loop);
    out_.loops_.push_back({static_cast<std::uint32_t>(depth),
                           static_cast<std::uint32_t>(node.least),
                           static_cast<std::uint32_t>(node.most), Here(), 0});
    AddBytes(",");
    AddOptionalBlank();
    Emit(Op::kJump, item);
    out_.loops_[loop].leave = Here();
    if (node.least == 0) SetTarget(split, 1, Here());
    AddBytes("]");
    return Status();
  }

  GrammarAutomaton& out_;
};

Result<GrammarAutomaton> GrammarAutomaton::Compile(const Grammar& grammar) {
  LIUBAI_RETURN_IF_ERROR(grammar.Validate());
  GrammarAutomaton automaton;
  GrammarCompiler compiler(automaton);
  LIUBAI_RETURN_IF_ERROR(compiler.Add(grammar, 0));
  compiler.Finish();
  return automaton;
}

namespace {

void Order(GrammarAutomaton::State* state) {
  if (state->size() < 2) return;
  std::sort(state->begin(), state->end());
  state->erase(std::unique(state->begin(), state->end()), state->end());
}

// Whether a number that begins with `magnitude` can go on to one of [least, most], none negative.
bool CanGrow(std::int64_t magnitude, std::int64_t least, std::int64_t most) {
  if (magnitude == 0) return false;
  for (std::int64_t scale = 10; magnitude <= most / scale; scale *= 10) {
    if (magnitude * scale + (scale - 1) >= least) return true;
    if (scale > std::numeric_limits<std::int64_t>::max() / 10) break;
  }
  return false;
}

// The magnitudes of the numbers of [least, most] that have this sign.
std::pair<std::int64_t, std::int64_t> Magnitudes(bool negative, std::int64_t least,
                                                 std::int64_t most) {
  if (negative) return {std::max<std::int64_t>(1, -most), -least};
  return {std::max<std::int64_t>(0, least), most};
}

}  // namespace

GrammarAutomaton::State GrammarAutomaton::Start() const {
  State state;
  Enter({}, &state);
  Order(&state);
  return state;
}

void GrammarAutomaton::Enter(Thread thread, State* state) const {
  for (;;) {
    const Instruction& instruction = program_[thread.at];
    switch (instruction.op) {
      case Op::kByte:
      case Op::kChars:
      case Op::kInteger:
      case Op::kAccept:
        state->push_back(thread);
        return;
      case Op::kJump:
        thread.at = instruction.a;
        break;
      case Op::kBegin:
        thread.items[instruction.a] = 0;
        ++thread.at;
        break;
      case Op::kSplit:
        for (std::uint32_t i = 0; i + 1 < instruction.b; ++i) {
          Thread other = thread;
          other.at = targets_[instruction.a + i];
          Enter(other, state);
        }
        thread.at = targets_[instruction.a + instruction.b - 1];
        break;
      case Op::kNext: {
        const Loop& loop = loops_[instruction.a];
        const std::uint32_t items = ++thread.items[loop.depth];
        if (items < loop.max) {
          Thread again = thread;
          again.at = loop.again;
          Enter(again, state);
        }
        if (items < loop.min) return;
        thread.items[loop.depth] = 0;
        thread.at = loop.leave;
        break;
      }
    }
  }
}

bool GrammarAutomaton::StepNumber(unsigned char byte, std::int64_t least, std::int64_t most,
                                  Thread* thread) {
  if (byte == '-') {
    if (thread->digits != 0 || least >= 0) return false;
    thread->digits = 1;
    thread->negative = true;
    return true;
  }
  if (byte < '0' || byte > '9') return false;
  if (thread->digits == 2 && thread->number == 0) return false;  // No leading zero.
  thread->digits = 2;
  thread->number = thread->number * 10 + (byte - '0');
  const auto [low, high] = Magnitudes(thread->negative, least, most);
  return (thread->number >= low && thread->number <= high) || CanGrow(thread->number, low, high);
}

void GrammarAutomaton::Step(const State& state, unsigned char byte, State* next) const {
  next->clear();
  for (const Thread& old : state) {
    const Instruction& instruction = program_[old.at];
    Thread thread = old;
    if (instruction.op == Op::kByte) {
      if (instruction.a != byte) continue;
      ++thread.at;
      Enter(thread, next);
    } else if (instruction.op == Op::kChars) {
      const Chars& chars = chars_[instruction.a];
      if (byte == '"' && old.place.pending == 0) {
        if (old.chars < chars.min) continue;
        thread.chars = 0;
        ++thread.at;
        Enter(thread, next);
        continue;
      }
      bool begun = false;
      if (old.place.pending == 0 && old.chars == chars.max) continue;
      if (!classes_[chars.char_class].Step(byte, &thread.place, &begun)) continue;
      thread.chars += begun ? 1 : 0;
      next->push_back(thread);
    } else if (instruction.op == Op::kInteger) {
      const auto [least, most] = numbers_[instruction.a];
      if (!StepNumber(byte, least, most, &thread)) continue;
      const auto [low, high] = Magnitudes(thread.negative, least, most);
      if (thread.digits == 1 || CanGrow(thread.number, low, high)) next->push_back(thread);
      if (thread.digits == 2 && thread.number >= low && thread.number <= high) {
        thread.number = 0;
        thread.digits = 0;
        thread.negative = false;
        ++thread.at;
        Enter(thread, next);
      }
    }
  }
  Order(next);
}

bool GrammarAutomaton::Complete(const State& state) const {
  return std::any_of(state.begin(), state.end(),
                     [&](const Thread& one) { return program_[one.at].op == Op::kAccept; });
}

bool GrammarAutomaton::WithinCharacter(const State& state) const {
  return std::any_of(state.begin(), state.end(), [](const Thread& one) {
    return one.place.pending != 0 && one.place.pending != CharClass::kEscape;
  });
}

bool GrammarAutomaton::Needs(int byte) const {
  return std::any_of(program_.begin(), program_.end(), [&](const Instruction& one) {
    return one.op == Op::kByte && one.a == static_cast<std::uint32_t>(byte);
  });
}

bool GrammarAutomaton::IsInString(const State& state, InString* out) const {
  if (state.size() != 1 || state[0].place.pending != 0) return false;
  const Instruction& instruction = program_[state[0].at];
  if (instruction.op != Op::kChars) return false;
  const Chars& chars = chars_[instruction.a];
  *out = {chars.char_class, chars.max - state[0].chars};
  return true;
}

std::string GrammarAutomaton::Key(const State& state, std::uint32_t reach) const {
  std::string key;
  const auto add = [&key](auto value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    key.append(bytes, sizeof(value));
  };
  for (const Thread& thread : state) {
    add(thread.at);
    for (const std::uint16_t items : thread.items) add(items);
    const Instruction& instruction = program_[thread.at];
    std::uint32_t room = 0, need = 0;
    if (instruction.op == Op::kChars) {
      const Chars& chars = chars_[instruction.a];
      room = std::min(chars.max - thread.chars, reach);
      need = std::min(chars.min - std::min(chars.min, thread.chars), reach);
    }
    add(room);
    add(need);
    add(thread.place.pending);
    add(thread.place.length);
    add(thread.place.point);
    add(thread.number);
    add(thread.digits);
    add(thread.negative);
  }
  return key;
}

}  // namespace liubai::engine
