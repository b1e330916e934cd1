// tools/terminal.h: what depends on whether a person is watching: colour, progress, interruption.
//
// Threads: Progress belongs to one thread; everything else may be called from any.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "liubai/status.h"

namespace liubai::tools {

bool StdoutIsTerminal();
bool StderrIsTerminal();
bool StdinIsTerminal();
// Columns of the terminal, 80 where there is none.
int TerminalWidth();

// Columns that `text` takes: two for each wide character.
int DisplayWidth(std::string_view text);
// `text` cut to `columns`, with "…" where something was cut, padded with spaces.
std::string FitToWidth(std::string_view text, int columns);
// `text` in lines of at most `columns`.
std::string Wrap(std::string_view text, int columns, std::string_view indent = "");

// A word in colour, or the word alone when `color` is false.
enum class Style : std::uint8_t { kDim, kBold, kGreen, kRed, kYellow, kCyan };
std::string Styled(Style style, std::string_view text, bool color);

// One line on standard error that is drawn again; nothing where nobody is watching.
class Progress {
 public:
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` 0: unknown. Draws at most ten times a second.
  void Update(std::string_view label, std::uint64_t done, std::uint64_t total, bool bytes = false);
  void Clear();

 private:
  bool enabled_;
  bool drawn_ = false;
  std::int64_t last_us_ = 0;
  std::int64_t start_us_ = 0;
  std::string label_;
};

// `full` of `cells` cells filled.
std::string Bar(int full, int cells);
std::string HumanBytes(std::uint64_t bytes);   // "98.4 MB"
std::string HumanMillis(std::int64_t micros);  // "12 ms", "3.4 s"

// Ctrl-C and SIGTERM as a stop token. The first one requests a stop; a second one before the
// operation has ended leaves the process with status 130 at once, unless KeepRunning(true) was
// called.
class Interrupts {
 public:
  // REQUIRES: called once, before any thread is started.
  static void Install();
  // A new operation: the token is stopped by the next Ctrl-C.
  static std::stop_token Begin();
  static std::uint64_t Count();
  static bool Stopped();
  static void KeepRunning(bool keep);
  // Readable when an interruption has arrived since the last Begin(); for poll().
  static int WakeDescriptor();
};

// Reads what there is of standard input, 0 at its end. kCancelled: an interruption came first.
Result<std::size_t> ReadStandardInput(std::span<char> buffer);

}  // namespace liubai::tools
