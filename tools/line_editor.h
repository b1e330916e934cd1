// tools/line_editor.h: lines from a terminal, with editing and history by libedit.
//
// A paste of several lines is one message: it stands in the line as "[paste 1: 12 lines]" and is put
// back when the line is taken, so that a newline inside it sends nothing and a huge one is not drawn.
//
// Errors:  a history file that cannot be read or written is left alone.
// Threads: one thread. Ctrl-C is seen through Interrupts (tools/terminal.h).
#pragma once

#include <memory>
#include <string>

namespace liubai::tools {

class LineEditor {
 public:
  enum class Event { kLine, kInterrupted, kEnd };

  // `history_file` empty: no history is kept.
  explicit LineEditor(std::string history_file);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // `line` has no newline at its end. kInterrupted: Ctrl-C; what was typed is dropped.
  Event Read(const std::string& prompt, std::string* line);

  struct Impl;  // Named by libedit's callbacks.

 private:
  std::unique_ptr<Impl> impl_;
};

// The place of a history file: in $LIUBAI_HOME, else $XDG_STATE_HOME/liubai, else
// ~/.local/state/liubai. Empty where there is no home.
std::string HistoryFile(const std::string& name);

}  // namespace liubai::tools
