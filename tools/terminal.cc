#include "tools/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "core/file_system.h"
#include "core/text.h"
#include "fmt/format.h"

namespace liubai::tools {
namespace {

std::int64_t NowUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int CodePointWidth(std::int32_t c) {
  if (c < 0x20 || IsMark(c)) return 0;
  const bool wide = IsCjk(c) || (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xff60) ||
                    (c >= 0x1f300 && c <= 0x1faff);
  return wide ? 2 : 1;
}

struct InterruptState {
  std::mutex mutex;
  std::stop_source source;
  std::atomic<std::uint64_t> count{0};
  std::atomic<bool> keep_running{false};
  std::atomic<bool> stopped{false};
  int signal_pipe[2] = {-1, -1};  // From the handler to the thread.
  int wake_pipe[2] = {-1, -1};    // From the thread to whoever polls.
};

InterruptState& State() {
  static InterruptState& state = *new InterruptState;  // Outlives every thread.
  return state;
}

void OnSignal(int) {
  const int saved = errno;
  const char byte = 1;
  [[maybe_unused]] const ssize_t written = write(State().signal_pipe[1], &byte, 1);
  errno = saved;
}

void WatchSignals() {
  InterruptState& state = State();
  char byte = 0;
  while (true) {
    const ssize_t got = read(state.signal_pipe[0], &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    state.count.fetch_add(1);
    if (state.stopped.exchange(true) && !state.keep_running) _exit(130);
    {
      const std::lock_guard lock(state.mutex);
      state.source.request_stop();
    }
    [[maybe_unused]] const ssize_t written = write(state.wake_pipe[1], &byte, 1);
  }
}

}  // namespace

bool StdoutIsTerminal() { return isatty(STDOUT_FILENO) == 1; }
bool StderrIsTerminal() { return isatty(STDERR_FILENO) == 1; }
bool StdinIsTerminal() { return isatty(STDIN_FILENO) == 1; }

int TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

int DisplayWidth(std::string_view text) {
  int width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    width += point.value < 0 ? 1 : CodePointWidth(point.value);
    i += point.length;
  }
  return width;
}

std::string FitToWidth(std::string_view text, int columns) {
  std::string flat;
  int width = 0;
  std::size_t cut = 0;  // The length of what fits together with "…".
  int cut_width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const DecodedCodePoint point = DecodeUtf8(text, i);
    const bool blank = point.value == '\n' || point.value == '\t' || point.value == '\r';
    const int w = point.value < 0 || blank ? 1 : CodePointWidth(point.value);
    if (width + w > columns) {
      flat.resize(cut);
      flat += "…";
      width = cut_width + 1;
      break;
    }
    if (blank) {
      flat.push_back(' ');
    } else if (point.value >= 0x20) {
      flat.append(text.substr(i, point.length));
    }
    width += w;
    if (width <= columns - 1) {
      cut = flat.size();
      cut_width = width;
    }
    i += point.length;
  }
  if (width < columns) flat.append(static_cast<std::size_t>(columns - width), ' ');
  return flat;
}

std::string Wrap(std::string_view text, int columns, std::string_view indent) {
  std::string out(indent);
  const int room = std::max(columns - DisplayWidth(indent), 10);
  int width = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == '\n') {
      out += "\n";
      out += indent;
      width = 0;
      ++i;
      continue;
    }
    // A unit that is not broken: a wide character, or a run up to the next space.
    std::size_t end = i;
    do {
      const DecodedCodePoint point = DecodeUtf8(text, end);
      if (end > i && point.value >= 0 && CodePointWidth(point.value) == 2) break;
      end += point.length;
      if (point.value >= 0 && CodePointWidth(point.value) == 2) break;
    } while (end < text.size() && text[end] != ' ' && text[end] != '\n' && text[i] != ' ');
    const std::string_view unit = text.substr(i, end - i);
    const int unit_width = DisplayWidth(unit);
    if (width > 0 && width + unit_width > room) {
      while (out.ends_with(' ')) out.pop_back();
      out += "\n";
      out += indent;
      width = 0;
      if (unit == " ") {
        i = end;
        continue;
      }
    }
    out += unit;
    width += unit_width;
    i = end;
  }
  return out;
}

std::string Styled(Style style, std::string_view text, bool color) {
  if (!color) return std::string(text);
  static constexpr std::string_view kCodes[] = {"2", "1", "32", "31", "33", "36"};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(style)], text);
}

Progress::Progress(bool enabled) : enabled_(enabled && StderrIsTerminal()), start_us_(NowUs()) {}

Progress::~Progress() { Clear(); }

void Progress::Clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::Update(std::string_view label, std::uint64_t done, std::uint64_t total, bool bytes) {
  if (!enabled_) return;
  const std::int64_t now = NowUs();
  if (label != label_) {
    label_ = label;
    start_us_ = now;
    last_us_ = 0;
  }
  if (now - last_us_ < 100'000 && (total == 0 || done < total)) return;
  last_us_ = now;
  std::string amount = bytes ? HumanBytes(done) : fmt::format("{}", done);
  if (total > 0) amount += bytes ? " of " + HumanBytes(total) : fmt::format(" of {}", total);
  if (bytes && now - start_us_ > 500'000) {
    const double seconds = static_cast<double>(now - start_us_) / 1e6;
    amount += fmt::format(
        ", {}/s", HumanBytes(static_cast<std::uint64_t>(static_cast<double>(done) / seconds)));
  }
  std::string bar;
  if (total > 0) {
    constexpr int kCells = 24;
    const int full = static_cast<int>(std::min(done, total) * kCells / total);
    bar = Bar(full, kCells) + " ";
  }
  std::string line = fmt::format("{} {}{}", label, bar, amount);
  const int width = TerminalWidth() - 1;
  if (DisplayWidth(line) > width) line = FitToWidth(line, width);
  fmt::print(stderr, "\r{}\x1b[K", line);
  std::fflush(stderr);
  drawn_ = true;
}

std::string Bar(int full, int cells) {
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::string HumanBytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e3) return fmt::format("{} B", bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.2f} GB", value / 1e9);
}

std::string HumanMillis(std::int64_t micros) {
  const auto value = static_cast<double>(micros);
  if (value < 9'950) return fmt::format("{:.1f} ms", value / 1e3);
  if (value < 999'500) return fmt::format("{:.0f} ms", value / 1e3);
  return fmt::format("{:.1f} s", value / 1e6);
}

void Interrupts::Install() {
  InterruptState& state = State();
  if (pipe2(state.signal_pipe, O_CLOEXEC) != 0 ||
      pipe2(state.wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    return;  // Ctrl-C then ends the process, as without a handler.
  }
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  // The thread must not take the signals itself, or a read of the terminal would not be
  // interrupted.
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  std::thread(WatchSignals).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Result<std::size_t> ReadStandardInput(std::span<char> buffer) {
  pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {Interrupts::WakeDescriptor(), POLLIN, 0}};
  while (true) {
    if (poll(waits, waits[1].fd >= 0 ? 2 : 1, -1) < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, "wait for", "standard input");
    }
    if ((waits[1].revents & POLLIN) != 0) return Status(StatusCode::kCancelled, "interrupted");
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return ErrnoStatus(errno, "read", "standard input");
  }
}

std::stop_token Interrupts::Begin() {
  InterruptState& state = State();
  char bytes[64];
  while (state.wake_pipe[0] >= 0 && read(state.wake_pipe[0], bytes, sizeof bytes) > 0) {
  }
  const std::lock_guard lock(state.mutex);
  state.source = std::stop_source();
  state.stopped = false;
  return state.source.get_token();
}

std::uint64_t Interrupts::Count() { return State().count; }
bool Interrupts::Stopped() { return State().stopped; }
void Interrupts::KeepRunning(bool keep) { State().keep_running = keep; }
int Interrupts::WakeDescriptor() { return State().wake_pipe[0]; }

}  // namespace liubai::tools
