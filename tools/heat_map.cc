#include "tools/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace liubai::tools {
namespace {

constexpr int kCell = 56, kRow = 30, kLeft = 74, kTop = 64, kGap = 28, kFoot = 112;

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // XML 1.0 has no other control characters.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

struct Rgb {
  int red, green, blue;
};

// Dark violet, blue, green, yellow: lightness grows with the value, so that it can be read without
// telling colours apart.
Rgb Colour(double value) {
  static constexpr std::array<Rgb, 5> kStops = {
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double at = std::clamp(value, 0.0, 1.0) * (kStops.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double share = at - static_cast<double>(left);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
  const Rgb &a = kStops[left], &b = kStops[left + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

std::string Fill(double value) {
  const Rgb rgb = Colour(value);
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.red, rgb.green, rgb.blue);
}

std::string Text(double x, double y, std::string_view text, std::string_view more = "") {
  return fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\"{}{}>{}</text>\n", x, y,
                     more.empty() ? "" : " ", more, Escaped(text));
}

}  // namespace

std::string HeatMapSvg(const HeatMap& map) {
  const int columns = static_cast<int>(map.columns.size()),
            rows = static_cast<int>(map.rows.size()), panels = static_cast<int>(map.panels.size());
  const int panel_width = columns * kCell;
  const int width = std::max(kLeft + panels * (panel_width + kGap) + 10, 420);
  const int bottom = kTop + rows * kRow, height = bottom + kFoot;
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      width, height, Escaped(map.title));
  out += Text(width / 2.0, 22, map.title, "font-size=\"15\" font-weight=\"bold\"");
  out += Text(18, kTop + rows * kRow / 2.0, map.y_label,
              fmt::format("transform=\"rotate(-90 18 {:.0f})\"", kTop + rows * kRow / 2.0));
  for (int p = 0; p < panels; ++p) {
    const int left = kLeft + p * (panel_width + kGap);
    const HeatPanel& panel = map.panels[static_cast<std::size_t>(p)];
    out += fmt::format("<g class=\"panel\">\n");
    out += Text(left + panel_width / 2.0, kTop - 12, panel.title, "font-weight=\"bold\"");
    for (int r = 0; r < rows; ++r) {
      if (p == 0) {
        out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
                           kTop + r * kRow + kRow / 2 + 4,
                           Escaped(map.rows[static_cast<std::size_t>(r)]));
      }
      for (int c = 0; c < columns; ++c) {
        const int x = left + c * kCell, y = kTop + r * kRow;
        const std::optional<double>& value =
            panel.values[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
        out += fmt::format(
            "<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
            "stroke=\"#ffffff\"/>\n",
            x, y, kCell, kRow, value ? Fill(*value) : "#dddddd");
        out += Text(x + kCell / 2.0, y + kRow / 2.0 + 4,
                    value ? fmt::format("{:.0f}", *value * 100) : "–",
                    value && *value < 0.5 ? "fill=\"#ffffff\"" : "fill=\"#000000\"");
      }
    }
    for (int c = 0; c < columns; ++c) {
      out += Text(left + c * kCell + kCell / 2.0, bottom + 16,
                  map.columns[static_cast<std::size_t>(c)]);
    }
    out += Text(left + panel_width / 2.0, bottom + 34, map.x_label);
    out += "</g>\n";
  }
  // The legend: what each colour stands for.
  constexpr int kSteps = 20, kStep = 10;
  const int left = (width - kSteps * kStep) / 2, top = bottom + 48;
  out += "<g class=\"legend\">\n";
  for (int i = 0; i < kSteps; ++i) {
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"12\" fill=\"{}\"/>\n",
                       left + i * kStep, top, kStep, Fill((i + 0.5) / kSteps));
  }
  out += Text(left - 16, top + 10, "0 %");
  out += Text(left + kSteps * kStep + 22, top + 10, "100 %");
  out += Text(width / 2.0, top + 28, "references found in the answer", "font-size=\"11\"");
  out += "</g>\n";
  out += Text(width / 2.0, top + 48, map.note, "font-size=\"10\" fill=\"#555555\"");
  return out + "</svg>\n";
}

}  // namespace liubai::tools
