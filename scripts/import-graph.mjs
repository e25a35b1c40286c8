// Which folder of src/ imports which, and docs/architecture.svg drawn from it. The same source gives the same bytes.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** By folder: the folders it imports. */
export function importGraph() {
  const graph = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
    const path = join(entry.parentPath, entry.name);
    const [folder, ...below] = relative(source, path).split(/[\\/]/);
    if (below.length === 0) continue;
    if (!graph.has(folder)) graph.set(folder, new Set());
    for (const [, target] of readFileSync(path, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
      const [to] = relative(source, join(dirname(path), target)).split(/[\\/]/);
      if (to !== folder) graph.get(folder).add(to);
    }
  }
  return graph;
}

/** Only what does not follow from the rest: `a → c` is left out where there are `a → b` and `b → c`. */
function withoutImplied(graph) {
  const reaches = (from, to, seen = new Set()) =>
    [...(graph.get(from) ?? [])].some((next) => {
      if (seen.has(next)) return false;
      seen.add(next);
      return next === to || reaches(next, to, seen);
    });
  return new Map(
    [...graph].map(([from, targets]) => [
      from,
      [...targets].filter((to) => ![...targets].some((via) => via !== to && reaches(via, to))).sort(),
    ]),
  );
}

/** From the top: each row imports rows below it. */
const rows = [
  [["library", "every command as a function"]],
  [["cli", "one table of commands"]],
  [
    ["files", "packs, profiles in use"],
    ["host", "units from Git"],
    ["toolset", "discovered tools"],
  ],
  [
    ["engine", "records → evaluate → observe → decide → edit → record → apply"],
    ["merge", "three texts as entries"],
  ],
  [
    ["readings", "content as entries, decisions as content"],
    ["report", "plans as text"],
  ],
  [["entries", "a document as entries"]],
  [
    ["identity", "keys, paths, profiles"],
    ["store", "gate, transaction, records, replay"],
    ["system", "programs"],
  ],
  [["formats", "json yaml toml dotenv block unit"]],
  [["core", "value, entry, the decision table, plan"]],
  [["text", "lines, diff, merge"]],
];

const [width, rowHeight, boxHeight, charWidth] = [860, 84, 46, 6.6];

export function architecturePicture() {
  const boxes = new Map();
  rows.forEach((row, i) => {
    const widths = row.map(([name, what]) => Math.max(name.length * 9, what.length * charWidth) + 28);
    const gap = (width - widths.reduce((a, b) => a + b, 0)) / (row.length + 1);
    let x = gap;
    row.forEach(([name, what], j) => {
      boxes.set(name, { name, what, x, y: 16 + i * rowHeight, w: widths[j] });
      x += widths[j] + gap;
    });
  });
  const graph = withoutImplied(importGraph());
  const unknown = [...graph.keys()].filter((name) => !boxes.has(name));
  if (unknown.length > 0)
    throw new Error(`no place in the picture for ${unknown.join(", ")}; add it to scripts/import-graph.mjs`);
  const arrows = [...graph]
    .sort()
    .flatMap(([from, targets]) => targets.map((to) => arrow(boxes.get(from), boxes.get(to))));
  const height = 16 + rows.length * rowHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, monospace" font-size="11">
<title>Which folder of src/ imports which</title>
<style>rect{fill:#f6f8fa;stroke:#57606a}text{fill:#24292f}.n{font-weight:bold;font-size:13px}path{stroke:#8c959f;fill:none}
@media(prefers-color-scheme:dark){rect{fill:#161b22;stroke:#8b949e}text{fill:#e6edf3}}</style>
<defs><marker id="a" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M1,1L7,4L1,7"/></marker></defs>
${arrows.join("\n")}
${[...boxes.values()].map(box).join("\n")}
</svg>
`;
}

function box({ name, what, x, y, w }) {
  const [left, middle] = [x.toFixed(1), (x + w / 2).toFixed(1)];
  return `<rect x="${left}" y="${y}" width="${w.toFixed(1)}" height="${boxHeight}" rx="6"/><text class="n" x="${middle}" y="${y + 19}" text-anchor="middle">${name}</text><text x="${middle}" y="${y + 36}" text-anchor="middle">${what}</text>`;
}

function arrow(from, to) {
  const [x1, y1] = [from.x + from.w / 2, from.y + boxHeight];
  const [x2, y2] = [to.x + to.w / 2, to.y];
  const bend = (y2 - y1) / 2;
  return `<path marker-end="url(#a)" d="M${x1.toFixed(1)},${y1}C${x1.toFixed(1)},${y1 + bend} ${x2.toFixed(1)},${y2 - bend} ${x2.toFixed(1)},${y2}"/>`;
}
