#include "tools/command.h"

#include <algorithm>

#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "tools/bench_report.h"

namespace liubai::tools {

void Invocation::Print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Invocation::PrintJson(const nlohmann::json& value) {
  Print(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Invocation::UseData(std::string_view name, std::string_view bytes) {
  if (bench_ != nullptr) bench_->UseData(name, bytes);
}

bool Invocation::Report(nlohmann::json result) {
  if (captured_ != nullptr) {
    *captured_ = std::move(result);
    return true;
  }
  if (bench_ != nullptr) result = bench_->Add(std::move(result));
  if (json()) PrintJson(result);
  return json();
}

void Invocation::Note(std::string_view text) {
  if (options_.quiet || options_.json) return;
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", text);
}

void Invocation::Warn(std::string_view text) {
  if (options_.quiet) return;
  std::fflush(stdout);
  if (options_.json) {
    const nlohmann::json line = {{"warning", text}};
    fmt::print(stderr, "{}\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print(stderr, "warning: {}\n", text);
  }
}

Status Invocation::UsageError(std::string message) {
  usage_error_ = true;
  return {StatusCode::kInvalidArgument, std::move(message)};
}

Table::Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

void Table::Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

void Table::Print(Invocation& call) const {
  std::vector<int> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  // A pipe gets whole lines.
  const int limit = StdoutIsTerminal() ? TerminalWidth() : 1 << 20;
  int used = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) used += widths[i] + 2;
  widths.back() = std::min(widths.back(), std::max(limit - used, 20));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (std::size_t i = 0; i < rows_[r].size(); ++i) {
      line += FitToWidth(rows_[r][i], widths[i]);
      if (i + 1 < rows_[r].size()) line += "  ";
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    call.Print((r == 0 ? call.Bold(line) : line) + "\n");
  }
}

}  // namespace liubai::tools
