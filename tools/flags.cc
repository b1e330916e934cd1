#include "tools/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/macros.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::tools {
namespace {

Status Bad(std::string message) { return {StatusCode::kInvalidArgument, std::move(message)}; }

// "--dry-run" is LIUBAI_DRY_RUN in the environment.
std::string EnvironmentName(std::string_view long_name) {
  std::string name = "LIUBAI_";
  for (const char c : long_name.substr(2)) {
    name.push_back(c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return name;
}

template <class T>
Status AssignInteger(const std::string& value, T least, T most, T* target) {
  errno = 0;
  char* end = nullptr;
  const long long number = std::strtoll(value.c_str(), &end, 10);
  const bool whole = !value.empty() && *end == '\0' && !std::isspace(value.front());
  if (!whole)
    return Bad(fmt::format("'{}' is not a whole number from {} to {}", value, least, most));
  if (errno == ERANGE || number < least || number > most) {
    return Bad(fmt::format("{} is outside the allowed range from {} to {}", value, least, most));
  }
  *target = static_cast<T>(number);
  return {};
}

}  // namespace

Flags::Entry& Flags::Add(std::string_view names, std::string_view value_name,
                         std::string_view help) {
  Entry& entry = entries_.emplace_back();
  const std::size_t comma = names.find(',');
  if (comma != std::string_view::npos) entry.short_name = names.substr(0, comma);
  entry.long_name = comma == std::string_view::npos ? names : names.substr(comma + 1);
  entry.value_name = value_name;
  entry.help = help;
  return entry;
}

void Flags::Text(std::string_view names, std::string_view value_name, std::string* target,
                 std::string_view help) {
  Entry& entry = Add(names, value_name, help);
  if (!target->empty()) entry.help += fmt::format(" (default: {})", *target);
  entry.assign = [target](const std::string& value) {
    *target = value;
    return Status();
  };
  entry.value = [target] { return nlohmann::json(*target); };
}

void Flags::TextList(std::string_view names, std::string_view value_name,
                     std::vector<std::string>* target, std::string_view help) {
  Entry& entry = Add(names, value_name, help);
  entry.repeated = true;
  entry.assign = [target](const std::string& value) {
    target->push_back(value);
    return Status();
  };
  entry.value = [target] { return nlohmann::json(*target); };
}

void Flags::Choice(std::string_view names, std::string* target, std::vector<std::string> choices,
                   std::string_view help) {
  Entry& entry = Add(names, fmt::format("{}", fmt::join(choices, "|")), help);
  if (!target->empty()) entry.help += fmt::format(" (default: {})", *target);
  entry.choices = choices;
  entry.assign = [target, choices](const std::string& value) {
    if (std::ranges::find(choices, value) == choices.end()) {
      return Bad(fmt::format("'{}' is not one of {}", value, fmt::join(choices, ", ")));
    }
    *target = value;
    return Status();
  };
  entry.value = [target] { return nlohmann::json(*target); };
}

void Flags::Integer(std::string_view names, std::string_view value_name, std::int64_t* target,
                    std::int64_t least, std::int64_t most, std::string_view help) {
  Entry& entry = Add(names, value_name, help);
  entry.assign = [=](const std::string& value) {
    return AssignInteger<std::int64_t>(value, least, most, target);
  };
  entry.value = [target] { return nlohmann::json(*target); };
}

void Flags::Integer(std::string_view names, std::string_view value_name, int* target, int least,
                    int most, std::string_view help) {
  Entry& entry = Add(names, value_name, help);
  entry.assign = [=](const std::string& value) {
    return AssignInteger<int>(value, least, most, target);
  };
  entry.value = [target] { return nlohmann::json(*target); };
}

void Flags::Real(std::string_view names, std::string_view value_name, double* target, double least,
                 double most, std::string_view help) {
  Entry& entry = Add(names, value_name, help);
  entry.value = [target] { return nlohmann::json(*target); };
  entry.assign = [=](const std::string& value) {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !std::isfinite(number)) {
      return Bad(fmt::format("'{}' is not a number from {} to {}", value, least, most));
    }
    if (number < least || number > most) {
      return Bad(fmt::format("{} is outside the allowed range from {} to {}", value, least, most));
    }
    *target = number;
    return Status();
  };
}

void Flags::Switch(std::string_view names, bool* target, std::string_view help) {
  Entry& entry = Add(names, "", help);
  entry.value = [target] { return nlohmann::json(*target); };
  entry.assign = [target](const std::string& value) {
    static constexpr std::string_view kOn[] = {"1", "true", "yes", "on"};
    static constexpr std::string_view kOff[] = {"0", "false", "no", "off", ""};
    const std::string lower = ToLowerUtf8(value);
    *target = std::ranges::find(kOn, lower) != std::end(kOn);
    if (*target || std::ranges::find(kOff, lower) != std::end(kOff)) return Status();
    return Bad(
        fmt::format("'{}' is neither on (1, true, yes, on) nor off (0, false, no, off)", value));
  };
}

void Flags::Argument(std::string_view name, std::string* target, bool required,
                     std::string_view help) {
  Text(name, name, target, help);
  entries_.back().positional = true;
  entries_.back().required = required;
}

void Flags::Arguments(std::string_view name, std::vector<std::string>* target, bool required,
                      std::string_view help) {
  TextList(name, name, target, help);
  entries_.back().positional = true;
  entries_.back().required = required;
}

void Flags::Suggest(std::vector<std::string> values) {
  entries_.back().choices = std::move(values);
}

Status Flags::Parse(const std::string& command, const std::vector<std::string>& args) {
  // CLI11 only takes the words apart: what it would say of a mistake names no range and no remedy.
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::deque<std::pair<CLI::Option*, std::int64_t>> switches;
  for (Entry& entry : entries_) {
    if (entry.positional) continue;
    const std::string names =
        entry.short_name.empty() ? entry.long_name : entry.short_name + "," + entry.long_name;
    CLI::Option* option = nullptr;
    if (entry.value_name.empty()) {
      switches.emplace_back();
      option = app.add_flag(names, [&entry](std::int64_t count) {
        entry.values.assign(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)), "1");
      });
    } else {
      option = app.add_option_function<std::vector<std::string>>(
          names, [&entry](const std::vector<std::string>& values) { entry.values = values; });
      option->expected(1)->allow_extra_args(false)->multi_option_policy(
          entry.repeated ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
    }
  }
  // CLI11 wants the words in reverse.
  std::vector<std::string> words(args.rbegin(), args.rend());
  try {
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& e) {
    // Its message begins with the flag's name and a colon.
    const std::string_view said = e.what();
    return Bad(fmt::format("liubai {}: {} needs a value", command, said.substr(0, said.find(':'))));
  } catch (const CLI::Error& e) {
    return Bad(fmt::format("liubai {}: {}", command, e.what()));
  }

  bool only_arguments = false;
  std::vector<std::string> arguments;
  for (const std::string& word : app.remaining()) {
    if (!only_arguments && word == "--") {
      only_arguments = true;
    } else if (!only_arguments && word.size() > 1 && word[0] == '-') {
      std::vector<std::string_view> known;
      for (const Entry& entry : entries_) {
        if (!entry.positional) known.push_back(entry.long_name);
      }
      const std::string name = word.substr(0, word.find('='));
      const std::string_view nearest = NearestWord(name, known);
      return Bad(fmt::format("liubai {}: unknown flag '{}'{}", command, name,
                             nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    } else {
      arguments.push_back(word);
    }
  }

  std::size_t next = 0;
  for (Entry& entry : entries_) {
    if (entry.positional) {
      const std::size_t end =
          entry.repeated ? arguments.size() : std::min(next + 1, arguments.size());
      entry.values.assign(arguments.begin() + static_cast<std::ptrdiff_t>(next),
                          arguments.begin() + static_cast<std::ptrdiff_t>(end));
      entry.origin = entry.long_name;
      next = end;
      if (entry.required && entry.values.empty()) {
        return Bad(
            fmt::format("liubai {}: {} is missing ({})", command, entry.long_name, entry.help));
      }
    } else if (!entry.values.empty()) {
      entry.origin = entry.long_name;
    } else {
      const std::string name = EnvironmentName(entry.long_name);
      if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0') {
        entry.values = {value};
        entry.origin = name;
      }
    }
    for (const std::string& value : entry.values) {
      LIUBAI_RETURN_IF_ERROR(
          entry.assign(value).WithContext(fmt::format("liubai {}: {}", command, entry.origin)));
    }
  }
  if (next < arguments.size()) {
    return Bad(fmt::format("liubai {}: unexpected argument '{}'", command, arguments[next]));
  }
  return {};
}

bool Flags::IsSet(std::string_view long_name) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.long_name == long_name && !entry.values.empty();
  });
}

std::string Flags::Help(const std::string& command) const {
  std::string usage = fmt::format("Usage: liubai {} [flags]", command);
  std::string arguments;
  std::string flags;
  for (const Entry& entry : entries_) {
    if (entry.positional) {
      const std::string shown = entry.long_name + (entry.repeated ? "..." : "");
      usage += entry.required ? " " + shown : fmt::format(" [{}]", shown);
      arguments += fmt::format("  {:<24} {}\n", shown, entry.help);
      continue;
    }
    std::string shown = entry.short_name.empty() ? "    " : entry.short_name + ", ";
    shown += entry.long_name;
    if (!entry.value_name.empty()) shown += " " + entry.value_name;
    flags += fmt::format("  {:<24}{}{}\n", shown,
                         shown.size() > 24 ? "\n" + std::string(27, ' ') : " ", entry.help);
  }
  if (!arguments.empty()) usage += "\n\nArguments:\n" + arguments;
  if (usage.back() != '\n') usage += "\n";
  return usage + "\nFlags (or LIUBAI_<NAME> in the environment):\n" + flags;
}

}  // namespace liubai::tools
