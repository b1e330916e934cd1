// liubai completion: completion scripts, made from the table of commands; no model is needed.
#include <map>
#include <set>

#include "fmt/format.h"
#include "tools/commands.h"
#include "tools/global_flags.h"

namespace liubai::tools {
namespace {

// What may follow the words typed so far.
struct Words {
  // After "" the commands and groups, after "models" its commands, after "models fetch" its flags
  // and whatever its arguments suggest.
  std::map<std::string, std::set<std::string>> after;
  std::map<std::string, std::string> summaries;
  // "models fetch --model" -> values.
  std::map<std::string, std::set<std::string>> values;
};

Words CollectWords() {
  Words words;
  for (const CommandEntry& entry : AllCommands()) {
    const std::string name(entry.name);
    const std::size_t space = name.find(' ');
    words.after[""].insert(name.substr(0, space));
    if (space != std::string::npos)
      words.after[name.substr(0, space)].insert(name.substr(space + 1));
    words.summaries[name] = entry.summary;

    const std::unique_ptr<Command> command = entry.make();
    Flags flags;
    GlobalOptions ignored;
    std::string color;
    command->Declare(flags);
    DeclareGlobalFlags(flags, ignored, color);
    for (const Flags::Entry& flag : flags.entries()) {
      if (flag.positional) {
        words.after[name].insert(flag.choices.begin(), flag.choices.end());
        continue;
      }
      words.after[name].insert(flag.long_name);
      if (!flag.value_name.empty()) {
        words.values[name + " " + flag.long_name].insert(flag.choices.begin(), flag.choices.end());
      }
    }
    words.after[name].insert("--help");
  }
  words.after[""].insert({"--help", "--version"});
  return words;
}

std::string Cases(const std::map<std::string, std::set<std::string>>& lists) {
  std::string out;
  for (const auto& [key, list] : lists) {
    out += fmt::format("    '{}') words='{}' ;;\n", key, fmt::join(list, " "));
  }
  return out;
}

std::string Bash(const Words& words) {
  return fmt::format(R"(# bash completion for liubai
_liubai() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words='' path=''
  local i word
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${{COMP_WORDS[i]}}"
    [[ "$word" == -* ]] && continue
    case " {0} " in *" $path${{path:+ }}$word "*) ;; *) case "|{1}|" in
      *"|$path${{path:+ }}$word|"*) ;; *) continue ;; esac ;; esac
    path="$path${{path:+ }}$word"
  done
  case "$path $previous" in
{2}    *) case "$path" in
{3}    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${{#COMPREPLY[@]}} == 0 && "$current" != -* ]] && mapfile -t COMPREPLY < <(compgen -f -- "$current")
}}
complete -o filenames -F _liubai liubai
)",
                     fmt::join(words.after.at(""), " "),
                     [&] {
                       std::string names;
                       for (const auto& [name, summary] : words.summaries) names += name + "|";
                       return names;
                     }(),
                     Cases(words.values), Cases(words.after));
}

std::string Zsh(const Words& words) {
  return "#compdef liubai\nautoload -U +X bashcompinit && bashcompinit\n" + Bash(words);
}

std::string Fish(const Words& words) {
  std::string out = "# fish completion for liubai\n";
  for (const auto& [name, summary] : words.summaries) {
    const std::size_t space = name.find(' ');
    std::string condition = "__fish_use_subcommand";
    std::string word = name;
    if (space != std::string::npos) {
      const std::string group = name.substr(0, space);
      out += fmt::format("complete -c liubai -f -n __fish_use_subcommand -a {}\n", group);
      condition = fmt::format("__fish_seen_subcommand_from {}", group);
      word = name.substr(space + 1);
    }
    out += fmt::format("complete -c liubai -f -n '{}' -a {} -d '{}'\n", condition, word, summary);
    for (const std::string& next : words.after.at(name)) {
      const std::string seen = fmt::format("__fish_seen_subcommand_from {}", word);
      if (next.starts_with("--")) {
        const auto values = words.values.find(name + " " + next);
        out += fmt::format("complete -c liubai -n '{}' -l {}", seen, next.substr(2));
        if (values != words.values.end()) {
          out += values->second.empty()
                     ? " -r"
                     : fmt::format(" -x -a '{}'", fmt::join(values->second, " "));
        }
        out += "\n";
      } else {
        out += fmt::format("complete -c liubai -n '{}' -a {}\n", seen, next);
      }
    }
  }
  return out;
}

class Completion : public Command {
 public:
  void Declare(Flags& flags) override {
    flags.Argument("SHELL", &shell_, true, "bash, zsh or fish");
    flags.Suggest({"bash", "zsh", "fish"});
  }

  Status Run(Invocation& call, std::stop_token) override {
    const Words words = CollectWords();
    if (shell_ == "bash") {
      call.Print(Bash(words));
    } else if (shell_ == "zsh") {
      call.Print(Zsh(words));
    } else if (shell_ == "fish") {
      call.Print(Fish(words));
    } else {
      return call.UsageError(fmt::format("unknown shell '{}'; known are bash, zsh, fish", shell_));
    }
    return {};
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> MakeCompletion() { return std::make_unique<Completion>(); }

}  // namespace liubai::tools
