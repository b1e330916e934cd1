// tools/flags.h: the flags and arguments of one subcommand: declared once, then parsed, checked
// against their ranges, shown by --help and offered by the shell's completion.
//
// Errors:  kInvalidArgument naming the flag, the value and the allowed range; an unknown flag gets
// the
//          nearest known one.
// Threads: one thread.
//
// A flag with the long name --some-name that is not on the command line is taken from the
// environment variable LIUBAI_SOME_NAME.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "liubai/status.h"

namespace liubai::tools {

class Flags {
 public:
  // What completion and help need to know of a flag or an argument.
  struct Entry {
    std::string short_name;  // "-m", or empty.
    std::string long_name;   // "--model", or an argument's name: "FILE".
    std::string value_name;  // "NAME"; empty for a switch.
    std::string help;
    std::vector<std::string> choices;  // Offered by completion; checked only by Choice().
    bool positional = false;
    bool required = false;
    bool repeated = false;
    bool from_environment = true;
    std::function<Status(const std::string& value)> assign;
    std::function<nlohmann::json()> value;  // What the target holds now, given or not.
    std::vector<std::string> values;        // As parsed.
    std::string origin;                     // "--threads" or "LIUBAI_THREADS".
  };

  // `names` is "--model" or "-m,--model". The present value of `target` is the default and is shown
  // when it is not empty. Pointers stay valid until Parse has returned.
  void Text(std::string_view names, std::string_view value_name, std::string* target,
            std::string_view help);
  void TextList(std::string_view names, std::string_view value_name,
                std::vector<std::string>* target, std::string_view help);
  void Choice(std::string_view names, std::string* target, std::vector<std::string> choices,
              std::string_view help);
  // [least, most], both allowed.
  void Integer(std::string_view names, std::string_view value_name, std::int64_t* target,
               std::int64_t least, std::int64_t most, std::string_view help);
  void Integer(std::string_view names, std::string_view value_name, int* target, int least,
               int most, std::string_view help);
  void Real(std::string_view names, std::string_view value_name, double* target, double least,
            double most, std::string_view help);
  void Switch(std::string_view names, bool* target, std::string_view help);

  void Argument(std::string_view name, std::string* target, bool required, std::string_view help);
  // At least one when `required`.
  void Arguments(std::string_view name, std::vector<std::string>* target, bool required,
                 std::string_view help);

  // Completion offers these for the flag or argument that was declared last.
  void Suggest(std::vector<std::string> values);

  Status Parse(const std::string& command, const std::vector<std::string>& args);

  // True when the flag was on the command line or in the environment. REQUIRES: Parse was called.
  bool IsSet(std::string_view long_name) const;

  const std::deque<Entry>& entries() const { return entries_; }
  // "liubai models fetch [flags] NAME..." and the lists of arguments and flags.
  std::string Help(const std::string& command) const;

 private:
  Entry& Add(std::string_view names, std::string_view value_name, std::string_view help);

  std::deque<Entry> entries_;
};

}  // namespace liubai::tools
