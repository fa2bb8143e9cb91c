// The style sheet of the report.
#pragma once

#include <string_view>

namespace tileglu::cli {

inline constexpr std::string_view report_style = R"css(
:root { color-scheme: light dark; --back: #fbfbfa; --ink: #1c2024; --soft: #5b6470; --line: #d9dce0; --card: #ffffff;
  --fused: #1d5fd1; --unfused: #a15c00; --bad: #b3261e; --s0: #1d5fd1; --s1: #00796b; --s2: #a15c00; --s3: #8e3a9d; --s4: #5b6470; }
@media (prefers-color-scheme: dark) { :root { --back: #14171a; --ink: #e8eaed; --soft: #a5adb8; --line: #343a41; --card: #1c2024;
  --fused: #7fb0ff; --unfused: #f0b45a; --bad: #ff8a80; --s0: #7fb0ff; --s1: #5ad1bd; --s2: #f0b45a; --s3: #d99ae6; --s4: #a5adb8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 940px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.2rem; margin: 0 0 4px; }
h3 { font-size: .95rem; margin: 20px 0 4px; color: var(--soft); font-weight: 600; }
p { margin: 0 0 12px; max-width: 70ch; }
section p { color: var(--soft); }
.lead { font-size: 1.05rem; }
section { margin-top: 44px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(200px, 1fr)); gap: 12px; margin-top: 22px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.tile b { display: block; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
.tile span { color: var(--soft); font-size: .88rem; }
.tile.bad b { color: var(--bad); }
svg { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
svg text { font: 12.5px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--ink); }
svg text.tick { fill: var(--soft); font-size: 11.5px; }
svg text.strong { font-weight: 650; font-size: 13.5px; }
.grid { stroke: var(--line); stroke-width: 1; }
.limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 4; }
.link { stroke: var(--soft); stroke-width: 2; opacity: .55; }
.fused { fill: var(--fused); }
.unfused { fill: var(--card); stroke: var(--unfused); stroke-width: 2.5; }
.faint { opacity: .45; }
.series { fill: none; stroke-width: 1.6; }
.series.s0, .dot.s0 { stroke: var(--s0); } .series.s1, .dot.s1 { stroke: var(--s1); stroke-dasharray: 7 3; }
.series.s2, .dot.s2 { stroke: var(--s2); stroke-dasharray: 2 3; }
.series.s3, .dot.s3 { stroke: var(--s3); stroke-dasharray: 9 3 2 3; } .series.s4, .dot.s4 { stroke: var(--s4); }
.dot { fill: var(--card); stroke-dasharray: none !important; stroke-width: 1.5; }
svg text.s0 { fill: var(--s0); } svg text.s1 { fill: var(--s1); } svg text.s2 { fill: var(--s2); }
svg text.s3 { fill: var(--s3); } svg text.s4 { fill: var(--s4); }
.legend { display: flex; align-items: center; gap: 8px; font-size: .9rem; }
.key { display: inline-block; width: 12px; height: 12px; }
.fused-key { border-radius: 50%; background: var(--fused); }
.unfused-key { border: 2.5px solid var(--unfused); margin-left: 12px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: 8px; }
th, td { text-align: right; padding: 5px 7px; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; }
th:nth-child(2), td:nth-child(2), th:nth-child(3), td:nth-child(3) { text-align: left; }
details { margin-top: 18px; }
summary { cursor: pointer; font-weight: 600; }
summary:focus-visible { outline: 2px solid var(--fused); outline-offset: 3px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 18px; margin: 12px 0 0; font-size: .92rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
)css";

}  // namespace tileglu::cli
