// Plots as inline SVG. Colours are CSS classes of the page, so that light and dark need no second drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tileglu::cli {

/// &, <, >, " and ' as HTML entities.
std::string escape(std::string_view text);

/// A drawing of `width` x `height` units, with a title and a description that a screen reader speaks.
class svg {
 public:
  svg(double width, double height, std::string title, std::string description);
  void line(double x1, double y1, double x2, double y2, std::string_view css);
  /// `tip` is shown on hover; it may be empty.
  void circle(double x, double y, double radius, std::string_view css, std::string_view tip = {});
  void square(double x, double y, double side, std::string_view css, std::string_view tip = {});
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view css);
  /// `anchor` is start, middle or end.
  void text(double x, double y, std::string_view words, std::string_view anchor = "start", std::string_view css = "label");
  std::string finish() const;

 private:
  double width_, height_;
  std::string title_, description_, body_;
};

/// Values to places: linear, or by their logarithms.
class axis {
 public:
  static axis linear(double low, double high, double from, double to) { return {low, high, from, to, false}; }
  static axis logarithmic(double low, double high, double from, double to) { return {low, high, from, to, true}; }
  double place(double value) const;
  /// Round numbers within the range: 1, 2, 5 times powers of ten.
  std::vector<double> ticks() const;

 private:
  axis(double low, double high, double from, double to, bool log) : low_(low), high_(high), from_(from), to_(to), log_(log) {}
  double low_, high_, from_, to_;
  bool log_;
};

/// "870 ns", "12.3 us", "4.56 ms".
std::string duration(double us);

/// Of a tick, as short as it can be: "20 ms".
std::string round_duration(double us);

}  // namespace tileglu::cli
