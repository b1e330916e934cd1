// liubai/grammar.h: what a language model may write, as the shape of a JSON value.
//
// A Grammar is built of parts, or read from a JSON Schema. LanguageModel::MaskFor makes of it a
// mask for SamplingParams::mask, under which every generation that ends by itself is a value of
// that shape: no token is allowed from which the shape could not be completed, and the end of the
// turn is allowed only where the value is complete, and then alone. Values are written without
// white space but for an optional blank after ':' and ','.
//
// A generation may still be cut: by max_tokens (max_bytes() tokens are always enough), by the
// context's capacity, a stop string or a cancellation. Its StopReason tells.
//
// Errors:  Validate, FromJsonSchema and MaskFor: kInvalidArgument naming the part, the value and
//          the limit; kUnimplemented naming a keyword of JSON Schema that is not read.
// Threads: a Grammar is an immutable value. A mask serves one generation at a time; what it has
//          learned of states serves the next generation, too.
// Units:   *_chars are code points, an escape such as \" counting as one; *_bytes are bytes as
//          written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "liubai/status.h"

namespace liubai::inline v1 {

// Code points from `first` to `last`, both included.
struct CodePointRange {
  char32_t first = 0;
  char32_t last = 0;
};

class Grammar {
 public:
  struct StringShape {
    int min_chars = 0;  // 0..max_chars
    int max_chars = 0;  // 0..65,536
    // What it may hold; empty: everything but control characters. A quote, a backslash and control
    // characters are written as their short escapes (\" \\ \/ \b \f \n \r \t), where they have one.
    std::vector<CodePointRange> allowed;
  };

  static Grammar String(StringShape shape);
  // One of these strings, verbatim: 1..65,536 of at most 4,096 bytes each, valid UTF-8.
  static Grammar Enum(std::vector<std::string> values);
  static Grammar Integer(std::int64_t least, std::int64_t most);  // Both within ±10^17.
  // 0 <= min_items <= max_items <= 65,535; at most four arrays within one another.
  static Grammar Array(Grammar item, int min_items, int max_items);
  // All of these keys, in this order.
  static Grammar Object(std::vector<std::pair<std::string, Grammar>> members);
  static Grammar OneOf(std::vector<Grammar> alternatives);
  // Outside JSON: text as it stands (at most 4,096 bytes), and parts end to end.
  static Grammar Text(std::string text);
  static Grammar Sequence(std::vector<Grammar> parts);

  // Of JSON Schema: "type" object (all "properties", in their order; "required", if there is one,
  // must name them all; "additionalProperties" may be false), string ("minLength", "maxLength",
  // "enum"), integer ("minimum", "maximum"), array ("items", "minItems", "maxItems"), "const" with
  // a string, "anyOf" and "oneOf"; "title", "description", "$schema" and "$id" are passed over.
  // Without a limit: 256 characters, 32 items.
  static Result<Grammar> FromJsonSchema(std::string_view schema);

  Status Validate() const;
  // Of the longest value; REQUIRES: Validate().ok().
  std::int64_t max_bytes() const;

  struct Node;
  const Node& node() const { return *node_; }

 private:
  explicit Grammar(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

}  // namespace liubai::inline v1
