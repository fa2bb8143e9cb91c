#include "svg.hpp"

#include <cmath>

#include <fmt/core.h>

namespace tileglu::cli {

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      case '\'': safe += "&#39;"; break;
      default: safe += c;
    }
  }
  return safe;
}

namespace {

std::string with_tip(std::string_view element, std::string_view attributes, std::string_view tip) {
  if (tip.empty()) return fmt::format("<{} {}/>\n", element, attributes);
  return fmt::format("<{} {}><title>{}</title></{}>\n", element, attributes, escape(tip), element);
}

}  // namespace

svg::svg(double width, double height, std::string title, std::string description)
    : width_(width), height_(height), title_(std::move(title)), description_(std::move(description)) {}

void svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2, css);
}

void svg::circle(double x, double y, double radius, std::string_view css, std::string_view tip) {
  body_ += with_tip("circle", fmt::format("cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"{}\"", x, y, radius, css), tip);
}

void svg::square(double x, double y, double side, std::string_view css, std::string_view tip) {
  body_ += with_tip(
      "rect", fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"", x - side / 2, y - side / 2, side, side, css),
      tip);
}

void svg::polyline(const std::vector<std::pair<double, double>>& points, std::string_view css) {
  std::string all;
  for (const auto& [x, y] : points) all += fmt::format("{:.1f},{:.1f} ", x, y);
  body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", all, css);
}

void svg::text(double x, double y, std::string_view words, std::string_view anchor, std::string_view css) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", x, y, anchor, css, escape(words));
}

std::string svg::finish() const {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n<desc>{}</desc>\n{}</svg>\n", width_, height_,
                     escape(title_), escape(description_), body_);
}

double axis::place(double value) const {
  const auto scale = [this](double v) { return log_ ? std::log10(v) : v; };
  return from_ + (scale(value) - scale(low_)) / (scale(high_) - scale(low_)) * (to_ - from_);
}

std::vector<double> axis::ticks() const {
  std::vector<double> all;
  if (log_) {
    const bool crowded = std::log10(high_ / low_) > 2.5;
    for (double decade = std::pow(10, std::floor(std::log10(low_))); decade <= high_; decade *= 10)
      for (const double step : {1.0, 2.0, 5.0})
        if (decade * step >= low_ && decade * step <= high_ && (step == 1.0 || !crowded)) all.push_back(decade * step);
    return all;
  }
  const double rough = (high_ - low_) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double nice : {1.0, 2.0, 5.0})
    if (nice * power >= rough && step > nice * power) step = nice * power;
  for (auto i = static_cast<long>(std::ceil(low_ / step - 1e-9)); static_cast<double>(i) * step <= high_ + step * 1e-9; ++i)
    all.push_back(static_cast<double>(i) * step);
  return all;
}

std::string duration(double us) {
  const auto [scale, unit] = us < 1      ? std::pair{1e-3, "ns"}
                             : us < 1000 ? std::pair{1.0, "us"}
                             : us < 1e6  ? std::pair{1e3, "ms"}
                                         : std::pair{1e6, "s"};
  const double value = us / scale;
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
}

std::string round_duration(double us) {
  const auto [scale, unit] = us < 1      ? std::pair{1e-3, "ns"}
                             : us < 1000 ? std::pair{1.0, "us"}
                             : us < 1e6  ? std::pair{1e3, "ms"}
                                         : std::pair{1e6, "s"};
  return fmt::format("{:g} {}", us / scale, unit);
}

}  // namespace tileglu::cli
