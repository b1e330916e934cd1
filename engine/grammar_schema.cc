// The parts of a grammar: how they are made, checked, measured, and read from a JSON Schema.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/macros.h"
#include "core/text.h"
#include "engine/grammar.h"
#include "fmt/format.h"

namespace liubai::inline v1 {
namespace {

using Kind = Grammar::Node::Kind;

constexpr int kMaxDepth = 64;  // Of parts within one another.
constexpr int kMaxChars = 65'536;
constexpr int kMaxItems = 65'535;
constexpr std::size_t kMaxParts = 65'536;
constexpr int kMaxNodes = 1 << 18;
constexpr std::size_t kMaxTextBytes = 4'096;
constexpr std::int64_t kMaxInteger = 100'000'000'000'000'000;
constexpr std::int64_t kManyBytes = std::int64_t{1} << 40;

Status Bad(std::string message) {
  return Status(StatusCode::kInvalidArgument, "grammar: " + std::move(message));
}

Status CheckLiteral(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Bad(
        fmt::format("a text has {} bytes; at most {} are allowed", text.size(), kMaxTextBytes));
  }
  return CheckText(text, "grammar: a text");
}

Status CheckString(const Grammar::StringShape& shape) {
  if (shape.max_chars < 0 || shape.max_chars > kMaxChars) {
    return Bad(fmt::format("max_chars is {}; it must be 0 to {}", shape.max_chars, kMaxChars));
  }
  if (shape.min_chars < 0 || shape.min_chars > shape.max_chars) {
    return Bad(fmt::format("min_chars is {}; it must be 0 to max_chars, which is {}",
                           shape.min_chars, shape.max_chars));
  }
  for (const CodePointRange& range : shape.allowed) {
    if (range.first <= range.last && range.last <= 0x10ffff) continue;
    return Bad(fmt::format(
        "the range U+{:04X} to U+{:04X} of characters is empty or beyond "
        "U+10FFFF",
        static_cast<std::uint32_t>(range.first), static_cast<std::uint32_t>(range.last)));
  }
  if (shape.min_chars > 0 && engine::CharClass(shape.allowed).ranges().empty()) {
    return Bad("a string must hold characters, and none of those allowed can be written");
  }
  return Status();
}

// `left` counts down: parts may be shared, and what they come to written out is not.
Status CheckNode(const Grammar::Node& node, int* left) {
  if (--*left < 0) return Bad(fmt::format("it has more than {} parts", kMaxNodes));
  if (node.depth > kMaxDepth) {
    return Bad(
        fmt::format("{} parts are within one another; the limit is {}", node.depth, kMaxDepth));
  }
  if (node.parts.size() > kMaxParts || node.texts.size() > kMaxParts) {
    return Bad(fmt::format("{} parts; at most {} are allowed",
                           std::max(node.parts.size(), node.texts.size()), kMaxParts));
  }
  for (const std::string& text : node.texts) LIUBAI_RETURN_IF_ERROR(CheckLiteral(text));
  switch (node.kind) {
    case Kind::kString:
      return CheckString(node.shape);
    case Kind::kInteger:
      if (node.least > node.most) {
        return Bad(fmt::format("no integer is from {} to {}", node.least, node.most));
      }
      if (node.least < -kMaxInteger || node.most > kMaxInteger) {
        return Bad(fmt::format("integers from {} to {}; they must be within -10^17 to 10^17",
                               node.least, node.most));
      }
      break;
    case Kind::kArray:
      if (node.least < 0 || node.most > kMaxItems || node.least > node.most) {
        return Bad(fmt::format("an array of {} to {} items; 0 to {} are allowed", node.least,
                               node.most, kMaxItems));
      }
      break;
    case Kind::kEnum:
      if (node.texts.empty()) return Bad("an enumeration has no values");
      break;
    case Kind::kOneOf:
      if (node.parts.empty()) return Bad("of no alternatives none can be written");
      break;
    case Kind::kObject:
      for (std::set<std::string_view> keys; const std::string& key : node.texts) {
        if (keys.insert(key).second) continue;
        return Bad(fmt::format("the key \"{}\" stands twice in an object", key));
      }
      break;
    case Kind::kText:
    case Kind::kSequence:
      break;
  }
  for (const Grammar& part : node.parts) LIUBAI_RETURN_IF_ERROR(CheckNode(part.node(), left));
  return Status();
}

std::int64_t BytesOf(const Grammar::Node& node) {
  std::int64_t bytes = 0;
  const auto quoted = [](const std::string& text) {
    std::int64_t size = 2;
    for (const char c : text) {
      size += static_cast<unsigned char>(c) < 0x20 ? 6 : c == '"' || c == '\\' ? 2 : 1;
    }
    return size;
  };
  switch (node.kind) {
    case Kind::kText:
      bytes = static_cast<std::int64_t>(node.texts.front().size());
      break;
    case Kind::kEnum:
      for (const std::string& text : node.texts) bytes = std::max(bytes, quoted(text));
      break;
    case Kind::kString:
      bytes = 2 + std::int64_t{4} * node.shape.max_chars;
      break;
    case Kind::kInteger:
      bytes = 19;
      break;
    case Kind::kArray:
      bytes = 2 + node.most * std::min(BytesOf(node.parts.front().node()) + 2, kManyBytes);
      break;
    case Kind::kObject:
      bytes = 2;
      for (std::size_t i = 0; i < node.parts.size(); ++i) {
        bytes += quoted(node.texts[i]) + 4 + BytesOf(node.parts[i].node());
      }
      break;
    case Kind::kOneOf:
      for (const Grammar& part : node.parts) bytes = std::max(bytes, BytesOf(part.node()));
      break;
    case Kind::kSequence:
      for (const Grammar& part : node.parts) bytes += BytesOf(part.node());
      break;
  }
  return std::min(bytes, kManyBytes);
}

std::shared_ptr<Grammar::Node> NewNode(Kind kind, std::vector<std::string> texts = {},
                                       std::vector<Grammar> parts = {}) {
  auto node = std::make_shared<Grammar::Node>();
  node->kind = kind;
  node->texts = std::move(texts);
  node->parts = std::move(parts);
  for (const Grammar& part : node->parts)
    node->depth = std::max(node->depth, part.node().depth + 1);
  return node;
}

}  // namespace

Grammar Grammar::String(StringShape shape) {
  auto node = NewNode(Kind::kString);
  node->shape = std::move(shape);
  return Grammar(std::move(node));
}
Grammar Grammar::Enum(std::vector<std::string> values) {
  return Grammar(NewNode(Kind::kEnum, std::move(values)));
}
Grammar Grammar::Integer(std::int64_t least, std::int64_t most) {
  auto node = NewNode(Kind::kInteger);
  node->least = least;
  node->most = most;
  return Grammar(std::move(node));
}
Grammar Grammar::Array(Grammar item, int min_items, int max_items) {
  auto node = NewNode(Kind::kArray, {}, {std::move(item)});
  node->least = min_items;
  node->most = max_items;
  return Grammar(std::move(node));
}
Grammar Grammar::Object(std::vector<std::pair<std::string, Grammar>> members) {
  std::vector<std::string> keys;
  std::vector<Grammar> values;
  for (auto& [key, value] : members) {
    keys.push_back(std::move(key));
    values.push_back(std::move(value));
  }
  return Grammar(NewNode(Kind::kObject, std::move(keys), std::move(values)));
}
Grammar Grammar::OneOf(std::vector<Grammar> alternatives) {
  return Grammar(NewNode(Kind::kOneOf, {}, std::move(alternatives)));
}
Grammar Grammar::Text(std::string text) { return Grammar(NewNode(Kind::kText, {std::move(text)})); }
Grammar Grammar::Sequence(std::vector<Grammar> parts) {
  return Grammar(NewNode(Kind::kSequence, {}, std::move(parts)));
}

Status Grammar::Validate() const {
  int left = kMaxNodes;
  return CheckNode(*node_, &left);
}
std::int64_t Grammar::max_bytes() const { return BytesOf(*node_); }

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDefaultChars = 256;
constexpr int kDefaultItems = 32;

Status BadSchema(const std::string& at, std::string message) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("schema: {}: {}", at.empty() ? "/" : at, message));
}

// The integer `key` of `schema`, or `unset`.
Result<std::int64_t> Number(const Json& schema, const char* key, std::int64_t unset,
                            const std::string& at) {
  const auto found = schema.find(key);
  if (found == schema.end()) return unset;
  if (!found->is_number_integer()) {
    return BadSchema(at, fmt::format("\"{}\" is {}; it must be an integer", key, found->dump()));
  }
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxInteger)) {
    return BadSchema(at, fmt::format("\"{}\" is {}; the limit is 10^17", key, found->dump()));
  }
  return found->get<std::int64_t>();
}

// Every keyword must be one that is read for this kind.
Status OnlyKeywords(const Json& schema, std::initializer_list<std::string_view> known,
                    const std::string& at) {
  for (const auto& [key, value] : schema.items()) {
    const auto is = [&key = key](std::string_view word) { return word == key; };
    if (is("title") || is("description") || is("$schema") || is("$id") || is("type")) continue;
    if (std::any_of(known.begin(), known.end(), is)) continue;
    return Status(
        StatusCode::kUnimplemented,
        fmt::format("schema: {}: the keyword \"{}\" is not read here", at.empty() ? "/" : at, key));
  }
  return Status();
}

Result<Grammar> ReadSchema(const Json& schema, const std::string& at, int depth);

Result<Grammar> ReadObject(const Json& schema, const std::string& at, int depth) {
  LIUBAI_RETURN_IF_ERROR(
      OnlyKeywords(schema, {"properties", "required", "additionalProperties"}, at));
  static const Json kNone = Json::object();
  const Json& properties = schema.contains("properties") ? schema["properties"] : kNone;
  if (!properties.is_object()) return BadSchema(at, "\"properties\" is not an object");
  if (const auto more = schema.find("additionalProperties");
      more != schema.end() && *more != Json(false)) {
    return Status(StatusCode::kUnimplemented,
                  fmt::format("schema: {}: \"additionalProperties\" may only be false", at));
  }
  if (const auto required = schema.find("required"); required != schema.end()) {
    if (!required->is_array()) return BadSchema(at, "\"required\" is not an array");
    for (const auto& [key, value] : properties.items()) {
      if (std::find(required->begin(), required->end(), Json(key)) == required->end()) {
        return Status(StatusCode::kUnimplemented,
                      fmt::format("schema: {}: \"{}\" is not required; optional properties are "
                                  "not read",
                                  at, key));
      }
    }
  }
  std::vector<std::pair<std::string, Grammar>> members;
  for (const auto& [key, value] : properties.items()) {
    LIUBAI_ASSIGN_OR_RETURN(Grammar member, ReadSchema(value, at + "/" + key, depth + 1));
    members.emplace_back(key, std::move(member));
  }
  return Grammar::Object(std::move(members));
}

Result<Grammar> ReadSchema(const Json& schema, const std::string& at, int depth) {
  if (depth > kMaxDepth) {
    return BadSchema(at, fmt::format("more than {} schemas are within one another", kMaxDepth));
  }
  if (!schema.is_object()) return BadSchema(at, "a schema is an object");
  for (const char* key : {"anyOf", "oneOf"}) {
    const auto found = schema.find(key);
    if (found == schema.end()) continue;
    LIUBAI_RETURN_IF_ERROR(OnlyKeywords(schema, {key}, at));
    if (!found->is_array()) return BadSchema(at, fmt::format("\"{}\" is not an array", key));
    std::vector<Grammar> alternatives;
    for (const Json& one : *found) {
      LIUBAI_ASSIGN_OR_RETURN(
          Grammar alternative,
          ReadSchema(one, fmt::format("{}/{}/{}", at, key, alternatives.size()), depth + 1));
      alternatives.push_back(std::move(alternative));
    }
    return Grammar::OneOf(std::move(alternatives));
  }
  if (schema.contains("const") || schema.contains("enum")) {
    LIUBAI_RETURN_IF_ERROR(OnlyKeywords(schema, {"const", "enum"}, at));
    const Json values = schema.contains("enum") ? schema["enum"] : Json::array({schema["const"]});
    if (!values.is_array()) return BadSchema(at, "\"enum\" is not an array");
    std::vector<std::string> texts;
    for (const Json& value : values) {
      if (!value.is_string()) {
        return Status(StatusCode::kUnimplemented,
                      fmt::format("schema: {}: {} is no string; only strings can be listed", at,
                                  value.dump()));
      }
      texts.push_back(value.get<std::string>());
    }
    return Grammar::Enum(std::move(texts));
  }
  const auto type = schema.find("type");
  if (type == schema.end() || !type->is_string()) {
    return BadSchema(at, "it has no \"type\", \"enum\", \"const\", \"anyOf\" or \"oneOf\"");
  }
  if (*type == "object") return ReadObject(schema, at, depth);
  if (*type == "string") {
    LIUBAI_RETURN_IF_ERROR(OnlyKeywords(schema, {"minLength", "maxLength"}, at));
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t least, Number(schema, "minLength", 0, at));
    LIUBAI_ASSIGN_OR_RETURN(
        const std::int64_t most,
        Number(schema, "maxLength", std::max<std::int64_t>(least, kDefaultChars), at));
    if (least < 0 || most < least || most > kMaxChars) {
      return BadSchema(at, fmt::format("a string of {} to {} characters; 0 to {} are allowed",
                                       least, most, kMaxChars));
    }
    return Grammar::String({static_cast<int>(least), static_cast<int>(most), {}});
  }
  if (*type == "integer") {
    LIUBAI_RETURN_IF_ERROR(OnlyKeywords(schema, {"minimum", "maximum"}, at));
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t least, Number(schema, "minimum", -kMaxInteger, at));
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t most, Number(schema, "maximum", kMaxInteger, at));
    return Grammar::Integer(least, most);
  }
  if (*type == "array") {
    LIUBAI_RETURN_IF_ERROR(OnlyKeywords(schema, {"items", "minItems", "maxItems"}, at));
    if (!schema.contains("items")) return BadSchema(at, "an array without \"items\"");
    LIUBAI_ASSIGN_OR_RETURN(Grammar item, ReadSchema(schema["items"], at + "/items", depth + 1));
    LIUBAI_ASSIGN_OR_RETURN(const std::int64_t least, Number(schema, "minItems", 0, at));
    LIUBAI_ASSIGN_OR_RETURN(
        const std::int64_t most,
        Number(schema, "maxItems", std::max<std::int64_t>(least, kDefaultItems), at));
    if (least < 0 || most < least || most > kMaxItems) {
      return BadSchema(at, fmt::format("an array of {} to {} items; 0 to {} are allowed", least,
                                       most, kMaxItems));
    }
    return Grammar::Array(std::move(item), static_cast<int>(least), static_cast<int>(most));
  }
  return Status(StatusCode::kUnimplemented,
                fmt::format("schema: {}: the type {} is not read", at, type->dump()));
}

}  // namespace

Result<Grammar> Grammar::FromJsonSchema(std::string_view schema) {
  bool deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    deep |= depth > 4 * kMaxDepth;
    return depth <= 4 * kMaxDepth;
  };
  const Json json = Json::parse(schema, shallow, /*allow_exceptions=*/false);
  if (deep) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("schema: more than {} values are within one another", 4 * kMaxDepth));
  }
  if (json.is_discarded()) {
    return Status(StatusCode::kInvalidArgument, "schema: it is not JSON");
  }
  LIUBAI_ASSIGN_OR_RETURN(Grammar grammar, ReadSchema(json, "", 0));
  LIUBAI_RETURN_IF_ERROR(grammar.Validate());
  return grammar;
}

}  // namespace liubai::inline v1
