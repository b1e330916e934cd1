#include "tools/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "core/file_system.h"
#include "core/text.h"
#include "fmt/format.h"
#include "tools/terminal.h"

namespace liubai::tools {
namespace {

constexpr std::string_view kPasteBegins = "\x1b[200~";
constexpr std::string_view kPasteEnds = "\x1b[201~";
constexpr std::size_t kShownPasteBytes = 400;  // Longer ones stand as a placeholder.
constexpr int kHistoryLines = 1000;
constexpr int kSequenceMs = 50;  // The bytes of one key arrive within this.

}  // namespace

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string history_file;
  std::string prompt;
  std::string bytes;               // Read and not consumed.
  std::deque<wchar_t> characters;  // Decoded, for libedit.
  bool ended = false;
  std::vector<std::pair<std::string, std::string>> pastes;  // Placeholder, text.

  // More bytes from the terminal; false: interrupted, at its end, or nothing within `wait_ms`.
  bool Fill(int wait_ms);
  void TakePaste(std::string text);
  bool Decode();
};

namespace {

LineEditor::Impl& ImplOf(EditLine* editor) {
  void* data = nullptr;
  el_get(editor, EL_CLIENTDATA, &data);
  return *static_cast<LineEditor::Impl*>(data);
}

char* Prompt(EditLine* editor) { return ImplOf(editor).prompt.data(); }

int GetCharacter(EditLine* editor, wchar_t* out) {
  LineEditor::Impl& impl = ImplOf(editor);
  while (impl.characters.empty()) {
    if (!impl.Decode() && !impl.Fill(-1)) return impl.ended ? 0 : -1;
  }
  *out = impl.characters.front();
  impl.characters.pop_front();
  return 1;
}

}  // namespace

bool LineEditor::Impl::Fill(int wait_ms) {
  pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {Interrupts::WakeDescriptor(), POLLIN, 0}};
  while (true) {
    const int ready = poll(waits, waits[1].fd >= 0 ? 2 : 1, wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    if ((waits[1].revents & POLLIN) != 0) return false;
    char buffer[4096];
    const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ended = true;
      return false;
    }
    bytes.append(buffer, static_cast<std::size_t>(got));
    return true;
  }
}

void LineEditor::Impl::TakePaste(std::string text) {
  std::replace(text.begin(), text.end(), '\r', '\n');
  while (text.ends_with('\n')) text.pop_back();
  if (text.find('\n') != std::string::npos || text.size() > kShownPasteBytes) {
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    std::string placeholder =
        lines > 1 ? fmt::format("[paste {}: {} lines]", pastes.size() + 1, lines)
                  : fmt::format("[paste {}: {}]", pastes.size() + 1, HumanBytes(text.size()));
    pastes.emplace_back(placeholder, std::move(text));
    text = std::move(placeholder);
  }
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    // A tab would complete, any other control character would command.
    const std::int32_t shown = point.value < 0 ? 0xFFFD : point.value < 0x20 ? ' ' : point.value;
    characters.push_back(static_cast<wchar_t>(shown));
    i += point.length;
  }
}

// Moves whole characters and whole pastes from `bytes`; false: more bytes are needed.
bool LineEditor::Impl::Decode() {
  if (bytes.empty()) return false;
  if (bytes[0] == '\x1b') {
    // A key's sequence may arrive in parts; a lone Escape is followed by nothing.
    while (bytes.size() < kPasteBegins.size() && kPasteBegins.starts_with(bytes)) {
      if (!Fill(kSequenceMs)) break;
    }
    if (bytes.starts_with(kPasteBegins)) {
      std::size_t end, from = kPasteBegins.size();
      while ((end = bytes.find(kPasteEnds, from)) == std::string::npos) {
        from = std::max(from, bytes.size() - std::min(bytes.size(), kPasteEnds.size()));
        if (!Fill(-1)) {
          bytes.clear();
          return false;
        }
      }
      TakePaste(bytes.substr(kPasteBegins.size(), end - kPasteBegins.size()));
      bytes.erase(0, end + kPasteEnds.size());
      return true;
    }
  }
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const std::size_t length = lead < 0x80    ? 1
                             : lead >= 0xF0 ? 4
                             : lead >= 0xE0 ? 3
                             : lead >= 0xC0 ? 2
                                            : 1;
  while (bytes.size() < length) {
    if (!Fill(kSequenceMs)) break;
  }
  const DecodedCodePoint point = DecodeUtf8(bytes, 0);
  characters.push_back(point.value < 0 ? L'\xFFFD' : static_cast<wchar_t>(point.value));
  bytes.erase(0, point.length);
  return true;
}

LineEditor::LineEditor(std::string history_file) : impl_(std::make_unique<Impl>()) {
  impl_->history_file = std::move(history_file);
  impl_->editor = el_init("liubai", stdin, stdout, stderr);
  impl_->history = history_init();
  HistEvent event;
  history(impl_->history, &event, H_SETSIZE, kHistoryLines);
  history(impl_->history, &event, H_SETUNIQUE, 1);
  if (!impl_->history_file.empty()) {
    history(impl_->history, &event, H_LOAD, impl_->history_file.c_str());
  }
  if (impl_->editor == nullptr) return;
  el_set(impl_->editor, EL_CLIENTDATA, impl_.get());
  el_set(impl_->editor, EL_PROMPT, &Prompt);
  el_set(impl_->editor, EL_EDITOR, "emacs");
  el_set(impl_->editor, EL_HIST, history, impl_->history);
  el_set(impl_->editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(impl_->editor, EL_BIND, "\\e[3~", "ed-delete-next-char", nullptr);
  el_set(impl_->editor, EL_GETCFN, &GetCharacter);
  fmt::print("\x1b[?2004h");
  std::fflush(stdout);
}

LineEditor::~LineEditor() {
  fmt::print("\x1b[?2004l");
  std::fflush(stdout);
  if (!impl_->history_file.empty()) {
    HistEvent event;
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(impl_->history_file).parent_path(),
                                        ignored);
    // Nobody else reads what was typed.
    const mode_t before = umask(0077);
    history(impl_->history, &event, H_SAVE, impl_->history_file.c_str());
    umask(before);
  }
  if (impl_->editor != nullptr) el_end(impl_->editor);
  history_end(impl_->history);
}

LineEditor::Event LineEditor::Read(const std::string& prompt, std::string* line) {
  line->clear();
  if (impl_->editor == nullptr) return Event::kEnd;
  impl_->prompt = prompt;
  impl_->pastes.clear();
  el_resize(impl_->editor);
  int count = 0;
  const char* got = el_gets(impl_->editor, &count);
  if (got == nullptr || count <= 0) {
    impl_->characters.clear();
    const bool interrupted = Interrupts::Stopped();
    if (interrupted) impl_->bytes.clear();
    return interrupted ? Event::kInterrupted : Event::kEnd;
  }
  line->assign(got, static_cast<std::size_t>(count));
  while (line->ends_with('\n') || line->ends_with('\r')) line->pop_back();
  if (!line->empty()) {
    HistEvent event;
    history(impl_->history, &event, H_ENTER, line->c_str());
  }
  for (const auto& [placeholder, text] : impl_->pastes) {
    const std::size_t at = line->find(placeholder);
    if (at != std::string::npos) line->replace(at, placeholder.size(), text);
  }
  return Event::kLine;
}

std::string HistoryFile(const std::string& name) {
  if (const std::string home = Environment("LIUBAI_HOME"); !home.empty()) return home + "/" + name;
  if (const std::string state = Environment("XDG_STATE_HOME"); !state.empty()) {
    return state + "/liubai/" + name;
  }
  const std::string home = Environment("HOME");
  return home.empty() ? "" : home + "/.local/state/liubai/" + name;
}

}  // namespace liubai::tools
