#include "report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "report_style.hpp"
#include "svg.hpp"

namespace tileglu::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr double width = 760;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::vector<json> races_of(const json& run, std::string_view product) {
  std::vector<json> chosen;
  for (const json& race : run["races"])
    if (race["product"] == product) chosen.push_back(race);
  return chosen;
}

std::string m_label(const json& race) { return fmt::format("M = {}", race["m"].get<std::int64_t>()); }

/// Bottom axis with its grid; labels by `format`.
template <class Format>
void x_axis(svg& plot, const axis& x, double top, double bottom, Format format) {
  for (const double tick : x.ticks()) {
    plot.line(x.place(tick), top, x.place(tick), bottom, "grid");
    plot.text(x.place(tick), bottom + 18, format(tick), "middle", "tick");
  }
}

/// Both times of every M, on one logarithmic axis; the ratio at the right.
std::string time_plot(const std::vector<json>& races, const std::string& what) {
  const double row = 44, top = 14, left = 84, right = 110;
  const double height = top + row * static_cast<double>(races.size()) + 34, bottom = height - 34;
  double low = 1e300, high = 0;
  std::string spoken;
  for (const json& race : races) {
    for (const char* key : {"us_per_layer", "baseline_us_per_layer"}) {
      if (!race.contains(key)) continue;
      low = std::min(low, race[key].get<double>());
      high = std::max(high, race[key].get<double>());
    }
    spoken += fmt::format("{}: {}{}. ", m_label(race), duration(race["us_per_layer"].get<double>()),
                          race.contains("speedup") ? fmt::format(", unfused {}, ratio {:.2f}", duration(race["baseline_us_per_layer"].get<double>()),
                                                                 race["speedup"].get<double>())
                                                   : "");
  }
  const axis x = axis::logarithmic(low * 0.8, high * 1.25, left, width - right);
  svg plot(width, height, "Time of one layer, " + what, spoken);
  x_axis(plot, x, top, bottom, round_duration);
  for (std::size_t i = 0; i < races.size(); ++i) {
    const json& race = races[i];
    const double y = top + row * (static_cast<double>(i) + 0.5);
    plot.text(left - 14, y + 4, m_label(race), "end");
    const double ours = race["us_per_layer"].get<double>();
    if (race.contains("speedup")) {
      const double theirs = race["baseline_us_per_layer"].get<double>();
      plot.line(x.place(ours), y, x.place(theirs), y, "link");
      plot.square(x.place(theirs), y, 11, "unfused", fmt::format("unfused ({}): {}", text_of(race["baseline"]), duration(theirs)));
      plot.text(width - right + 16, y + 4, fmt::format("{:.2f}x", race["speedup"].get<double>()), "start", "strong");
    }
    plot.circle(x.place(ours), y, 6.5, "fused", fmt::format("{}: {}", text_of(race["kernel"]), duration(ours)));
  }
  return plot.finish();
}

/// The ratio of each layer's times, a row of dots for each M.
std::string layer_plot(const std::vector<json>& races, const std::string& what) {
  double low = 1, high = 1;
  for (const json& race : races)
    for (const json& layer : race["layers"])
      if (layer.contains("speedup")) low = std::min(low, layer["speedup"].get<double>()), high = std::max(high, layer["speedup"].get<double>());
  if (low == 1 && high == 1) return {};
  const double row = 34, top = 26, left = 84, right = 30;
  const double height = top + row * static_cast<double>(races.size()) + 34, bottom = height - 34;
  const axis x = axis::logarithmic(low * 0.9, high * 1.1, left, width - right);
  svg plot(width, height, "Speed of each layer against the unfused path, " + what, "One dot per layer; the values are in the table of layers.");
  x_axis(plot, x, top, bottom, [](double v) { return fmt::format("{:g}x", v); });
  plot.line(x.place(1), top - 4, x.place(1), bottom, "limit");
  plot.text(x.place(1), top - 10, "as fast as unfused", "middle", "tick");
  for (std::size_t i = 0; i < races.size(); ++i) {
    const double y = top + row * (static_cast<double>(i) + 0.5);
    plot.text(left - 14, y + 4, m_label(races[i]), "end");
    for (const json& layer : races[i]["layers"])
      if (layer.contains("speedup"))
        plot.circle(x.place(layer["speedup"].get<double>()), y, 4.5, "fused faint",
                    fmt::format("layer {}: {:.2f}x", layer["layer"].get<int>(), layer["speedup"].get<double>()));
  }
  return plot.finish();
}

/// Each layer's error over float32's own; the limit is drawn.
std::string error_plot(const std::vector<json>& races, double limit, const std::string& what) {
  const double height = 210, top = 16, left = 56, right = 84, bottom = height - 40;
  double low = 0.98, high = limit;
  std::vector<int> indices;
  for (const json& race : races)
    for (const json& layer : race["layers"]) {
      if (layer["error_ratio"].is_null()) continue;
      low = std::min(low, layer["error_ratio"].get<double>());
      high = std::max(high, std::min(layer["error_ratio"].get<double>(), 3.0));
      indices.push_back(layer["layer"].get<int>());
    }
  if (indices.empty()) return {};
  const auto [first, last] = std::ranges::minmax(indices);
  const axis x = axis::linear(first - 0.5, last + 0.5, left, width - right);
  const axis y = axis::linear(low - 0.01, high + 0.02, bottom, top);
  svg plot(width, height, "Error of each layer, " + what,
           fmt::format("Error against float64 over that of float32 rounded once; the limit is {}.", limit));
  for (const double tick : y.ticks()) {
    plot.line(left, y.place(tick), width - right, y.place(tick), "grid");
    plot.text(left - 8, y.place(tick) + 4, fmt::format("{:.2f}", tick), "end", "tick");
  }
  for (const double tick : x.ticks())
    if (tick == std::floor(tick)) plot.text(x.place(tick), bottom + 18, fmt::format("{:.0f}", tick), "middle", "tick");
  plot.text((left + width - right) / 2, height - 6, "layer", "middle", "tick");
  plot.line(left, y.place(limit), width - right, y.place(limit), "limit");
  plot.text(width - right + 8, y.place(limit) + 4, "limit", "start", "tick");
  double label_above = 1e9;  // labels of the lines' ends, pushed apart
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t i = 0; i < races.size(); ++i) {
    std::vector<std::pair<double, double>> points;
    for (const json& layer : races[i]["layers"])
      if (!layer["error_ratio"].is_null())
        points.emplace_back(x.place(layer["layer"].get<int>()), y.place(std::min(layer["error_ratio"].get<double>(), high)));
    if (points.empty()) continue;
    plot.polyline(points, fmt::format("series s{}", i % 5));
    for (const auto& [px, py] : points) plot.circle(px, py, 2.5, fmt::format("dot s{}", i % 5));
    ends.emplace_back(points.back().second, i);
  }
  std::ranges::sort(ends, std::greater<>());
  for (const auto& [at, i] : ends) {
    label_above = std::min(label_above - 15, at + 4);
    plot.text(width - right + 8, label_above, m_label(races[i]), "start", fmt::format("label s{}", i % 5));
  }
  return plot.finish();
}

std::string row_of(const std::vector<std::string>& cells, std::string_view element, bool first_is_head) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (element == "th" || (first_is_head && i == 0))
      row += fmt::format("<th scope=\"{}\">{}</th>", element == "th" ? "col" : "row", escape(cells[i]));
    else row += fmt::format("<td>{}</td>", escape(cells[i]));
  }
  return row + "</tr>\n";
}

std::string number_or_dash(const json& object, const char* key, const char* format) {
  if (!object.contains(key) || object[key].is_null()) return "-";
  return fmt::format(fmt::runtime(format), object[key].get<double>());
}

std::string result_table(const json& run) {
  std::string html =
      "<div class=\"scroll\"><table><caption>Every race: medians of rounds in turns; one layer's share of a pass over all layers</caption>\n<thead>" +
      row_of({"M", "product", "kernel", "time", "unfused", "speed", "error", "float32's", "checked rows", "rounds", "verified"}, "th", false) +
      "</thead><tbody>\n";
  for (const json& race : run["races"])
    html += row_of(
        {std::to_string(race["m"].get<std::int64_t>()), race["product"] == "gated" ? "act(gate) * up" : "whole MLP", text_of(race["kernel"]),
         duration(race["us_per_layer"].get<double>()), race.contains("speedup") ? duration(race["baseline_us_per_layer"].get<double>()) : "-",
         number_or_dash(race, "speedup", "{:.2f}x"), number_or_dash(race, "error", "{:.2e}"), number_or_dash(race, "float32_error", "{:.2e}"),
         fmt::format("{} of {}", race["oracle_rows"].get<std::int64_t>(), race["m"].get<std::int64_t>()), std::to_string(race["rounds"].get<int>()),
         fmt::format("{} of {}", race["layers_verified"].get<std::size_t>(), race["layers"].size())},
        "td", true);
  return html + "</tbody></table></div>\n";
}

std::string layer_table(const json& run) {
  std::string html = "<details><summary>Each layer</summary><div class=\"scroll\"><table><caption>Each layer of each race</caption>\n<thead>" +
                     row_of({"layer", "M", "product", "time", "unfused", "speed", "error", "float32's", "verified"}, "th", false) +
                     "</thead><tbody>\n";
  const auto time = [](const json& layer, const char* key) { return layer.contains(key) ? duration(layer[key].get<double>()) : std::string("-"); };
  for (const json& race : run["races"])
    for (const json& layer : race["layers"])
      html += row_of({std::to_string(layer["layer"].get<int>()), std::to_string(race["m"].get<std::int64_t>()),
                      race["product"] == "gated" ? "act(gate) * up" : "whole MLP", time(layer, "us"), time(layer, "baseline_us"),
                      number_or_dash(layer, "speedup", "{:.2f}x"), number_or_dash(layer, "error", "{:.2e}"),
                      number_or_dash(layer, "float32_error", "{:.2e}"), layer["verified"].get<bool>() ? "yes" : "NO: " + text_of(layer["fault"])},
                     "td", true);
  return html + "</tbody></table></div></details>\n";
}

std::string definition(const std::string& term, const std::string& what) { return "<dt>" + escape(term) + "</dt><dd>" + escape(what) + "</dd>\n"; }

std::string facts(const json& run) {
  const json& model = run["model"];
  std::string html = "<dl>\n";
  html += definition("Model", fmt::format("{} ({})", text_of(model["name"]), text_of(model["type"])));
  html +=
      definition("MLP", fmt::format("{} layers, hidden {}, intermediate {}, {}, {}, {}", model["layers"].size(), text_of(model["hidden"]),
                                    text_of(model["intermediate"]), text_of(model["activation"]), text_of(model["dtype"]), text_of(model["layout"])));
  for (const json& note : model["notes"]) html += definition("Note", text_of(note));
  html += definition("Machine", text_of(run["machine"]["words"]));
  html += definition("Activations", text_of(run["activations"]));
  html += definition("Made", fmt::format("{}, tileglu {}", text_of(run["created"]), text_of(run["tileglu"])));
  html += definition("Command", text_of(run["command"]));
  return html + "</dl>\n";
}

std::string section(const std::string& title, const std::string& text, const std::string& body) {
  if (body.empty()) return {};
  return "<section><h2>" + escape(title) + "</h2>\n<p>" + escape(text) + "</p>\n" + body + "</section>\n";
}

std::string both_products(const json& run, const auto& plot) {
  std::string html;
  for (const auto& [product, what] : {std::pair{"gated", "act(gate) * up"}, std::pair{"mlp", "whole MLP"}}) {
    const auto races = races_of(run, product);
    if (const std::string drawn = races.empty() ? "" : plot(races, what); !drawn.empty()) html += "<h3>" + escape(what) + "</h3>\n" + drawn;
  }
  return html;
}

std::string tile(const std::string& number, const std::string& what, bool bad = false) {
  return fmt::format("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>\n", bad ? " bad" : "", escape(number), escape(what));
}

}  // namespace

std::string html_report(const json& run) {
  const json& summary = run["summary"];
  const std::string title = fmt::format("tileglu: {}", text_of(run["model"]["name"]));
  const auto good = summary["verified"].get<std::size_t>(), all = summary["results"].get<std::size_t>();
  const double limit = run["tolerance"].get<double>();

  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>" +
      escape(title) + "</title>\n<style>\n" + std::string(report_style) + "</style>\n</head>\n<body>\n<main>\n";
  html += "<h1>" + escape(text_of(run["model"]["name"])) + "</h1>\n<p class=\"lead\">" + escape(text_of(summary["sentence"])) +
          "</p>\n<div class=\"tiles\">\n";
  html += tile(fmt::format("{} / {}", good, all), "results verified against float64", good != all);
  if (summary.contains("speedup"))
    html += tile(fmt::format("{:.2f}x", summary["speedup"].get<double>()), "the speed of the unfused path, geometric mean");
  html += tile(text_of(run["machine"]["name"]), text_of(run["machine"]["words"]));
  html += "</div>\n";
  const bool raced = summary.contains("speedup");
  html +=
      section("Time of one layer",
              raced ? "The fused path (dot) and the unfused path of the same backend (square), which stores gate and up whole; the axis is "
                      "logarithmic, and the number at the right is how many times faster the fused path is."
                    : "The axis is logarithmic. There was no other path of this backend to race against.",
              (raced ? "<p class=\"legend\"><span class=\"key fused-key\"></span>fused <span class=\"key unfused-key\"></span>unfused</p>\n" : "") +
                  both_products(run, time_plot));
  html += section("Speed of each layer",
                  "One dot for each layer, on a logarithmic axis. All layers have the same shape, so their spread is that of the measurement.",
                  both_products(run, layer_plot));
  html += section("Error of each layer",
                  fmt::format("Relative error against float64, over the error of a float32 product of the same inputs that is rounded once: 1.00 is "
                              "as good as float32 can be, and above {} a result counts as wrong; of few outputs the ratio fluctuates, and below "
                              "36864 of them 12 / sqrt(outputs) more is allowed.",
                              limit),
                  both_products(run, [&](const auto& races, const auto& what) { return error_plot(races, limit, what); }));
  html += "<section><h2>Numbers</h2>\n" + result_table(run) + layer_table(run) + "</section>\n";
  html += "<section><h2>What was run</h2>\n" + facts(run) + "</section>\n</main>\n</body>\n</html>\n";
  return html;
}

}  // namespace tileglu::cli
