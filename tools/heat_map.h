// tools/heat_map.h: shares of a grid as an SVG picture, a panel for each system.
//
// Threads: a free function without state.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace liubai::tools {

struct HeatPanel {
  std::string title;
  std::vector<std::vector<std::optional<double>>> values;  // [rows][columns], 0..1; empty: not run.
};

struct HeatMap {
  std::string title;
  std::string note;  // Small, under the panels.
  std::string x_label, y_label;
  std::vector<std::string> columns, rows;
  std::vector<HeatPanel> panels;
};

// A whole document in UTF-8. REQUIRES: each panel has as many rows and columns as there are labels.
std::string HeatMapSvg(const HeatMap& map);

}  // namespace liubai::tools
