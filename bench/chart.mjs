// docs/bench.svg: the results as a picture, every row with its spread and its limit. Ratios stand on a logarithmic
// scale: half as long and twice as long are equally far from 1. The same results give the same bytes. It has a
// background of its own, so it reads the same on light and dark pages.

/**
 * The rows of the picture: the name in the table, what a reader calls it, and against what (growth: what it took at
 * both ends). The rest is in the table only.
 */
export const sections = [
  {
    title: "Time, as a multiple of what the other takes; further left is quicker",
    axis: {
      from: 0.25,
      to: 4,
      scale: Math.log2,
      ticks: [0.25, 0.5, 1, 2, 4],
      label: (tick) => (tick === 1 ? "as long" : `${tick} ×`),
    },
    rows: [
      ["stet --version", "stet --version", "node -e 0"],
      ["stet plan, 5 files, 60 entries, nothing to do", "stet plan, nothing to do", "node -e 0"],
      ["stet plan, nothing to do", "stet plan, nothing to do", "chezmoi status"],
      ["1 edit in a 10 MB JSON file", "1 edit in 10 MB of JSON", "parse, stringify, atomic write"],
      ["10,000 edits in a 10 MB JSON file", "10,000 edits in 10 MB of JSON", "parse, stringify, atomic write"],
      ["stet apply, 1 edit in a 10 MB JSON file", "stet apply, 1 edit in 10 MB", "jq and a rename"],
      ["text merge of 10,000 lines, a third of them }", "merge of 10,000 lines", "git merge-file"],
      ["stet host evaluate, 50 services under overlays", "stet host evaluate, 50 services", "kustomize build"],
      ["stet toolset apply, 100 tools, one changed", "stet toolset apply, 100 tools", "kubectl apply --server-side"],
    ],
  },
  {
    title: "Growth from 1,000 to 100,000 entries, as a power of their number n",
    axis: {
      from: 0,
      to: 2,
      scale: (power) => power,
      ticks: [0, 0.5, 1, 1.5, 2],
      label: (tick) => ["constant", "√n", "n", "n√n", "n²"][tick * 2],
    },
    rows: ["files", "host", "toolset"].flatMap((domain) => [
      [`${domain} growth: time`, `${domain}, time`],
      [`${domain} growth: memory`, `${domain}, memory`],
    ]),
  },
];

const [width, rowHeight] = [940, 29];
const column = { label: 24, against: 262, value: 500, axis: [540, 890] };
const ink = {
  page: "#0d1117",
  text: "#e6edf3",
  dim: "#8d96a0",
  grid: "#21262d",
  axis: "#484f58",
  within: "#7ee787",
  past: "#ff7b72",
  limit: "#e3b341",
};

export function chart(results) {
  const parts = [];
  let y = 34;
  for (const section of sections) {
    const drawn = drawSection(section, results.rows, y);
    parts.push(...drawn.parts);
    y = drawn.end;
  }
  parts.push(legend(y), text(column.label, y + 28, machineLine(results), { fill: ink.dim, size: 11 }));
  const height = y + 48;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(summary(results))}">
<rect width="100%" height="100%" rx="8" fill="${ink.page}"/>
<g font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="14" fill="${ink.text}">
${parts.join("\n")}
</g>
</svg>
`;
}

function drawSection({ title, axis, rows }, measured, top) {
  const found = rows
    .map(([name, label, against]) => ({ row: measured.find((row) => row.name === name), label, against }))
    .filter(({ row }) => row !== undefined);
  const first = top + 46;
  const bottom = first + found.length * rowHeight - 6;
  const parts = [text(column.label, top, title, { weight: "600" })];
  for (const tick of axis.ticks) {
    const x = place(axis, tick);
    parts.push(
      `<line x1="${x}" y1="${top + 26}" x2="${x}" y2="${bottom}" stroke="${tick === 1 ? ink.axis : ink.grid}"/>`,
    );
    parts.push(text(x, top + 18, axis.label(tick), { fill: ink.dim, size: 11, anchor: "middle" }));
  }
  for (const [i, each] of found.entries()) parts.push(...drawRow(axis, each, first + i * rowHeight));
  return { parts, end: bottom + 38 };
}

function drawRow(axis, { row, label, against }, y) {
  const [low, high] = row.spread.map((value) => place(axis, value));
  const [at, limit] = [place(axis, row.value), place(axis, row.limit)];
  const colour = row.ok ? ink.within : ink.past;
  const value = row.value.toFixed(2);
  return [
    text(column.label, y, label),
    text(column.against, y, against ?? row.detail.split(";")[0], { fill: ink.dim, size: 13 }),
    text(column.value, y, value, { fill: colour, anchor: "end", weight: "600" }),
    `<line x1="${low}" y1="${y - 5}" x2="${high}" y2="${y - 5}" stroke="${colour}" stroke-opacity="0.45" stroke-width="3" stroke-linecap="round"/>`,
    `<circle cx="${at}" cy="${y - 5}" r="5" fill="${colour}"/>`,
    `<line x1="${limit}" y1="${y - 14}" x2="${limit}" y2="${y + 4}" stroke="${ink.limit}" stroke-width="2"/>`,
  ];
}

/** Where a value stands on an axis; what is off it is drawn at its end. */
function place({ from, to, scale }, value) {
  const [left, right] = column.axis;
  const share = (scale(value) - scale(from)) / (scale(to) - scale(from));
  return Number((left + Math.min(1, Math.max(0, share)) * (right - left)).toFixed(1));
}

function legend(y) {
  return [
    `<circle cx="29" cy="${y - 2}" r="5" fill="${ink.within}"/>`,
    text(42, y + 3, "middle of all turns, with the lowest and the highest", { fill: ink.dim, size: 12 }),
    `<line x1="372" y1="${y - 11}" x2="372" y2="${y + 7}" stroke="${ink.limit}" stroke-width="2"/>`,
    text(382, y + 3, "limit: past it, the run fails", { fill: ink.dim, size: 12 }),
  ].join("\n");
}

function machineLine({ date, machine, missing }) {
  const left = missing.length === 0 ? "" : ` Not measured: ${missing.map((each) => each.missing).join(", ")}.`;
  return `npm run bench, ${date}: ${machine.processor}, ${machine.cores} cores, Node ${machine.node.slice(1)}.${left}`;
}

function summary({ rows }) {
  const ok = rows.filter((row) => row.ok).length;
  return `How fast stet is: ${ok} of ${rows.length} measured rows are within their limits`;
}

function text(x, y, content, { fill = ink.text, size = 14, anchor = "start", weight = "400" } = {}) {
  if (content === "") return "";
  return `<text x="${x}" y="${y}" fill="${fill}" font-size="${size}" text-anchor="${anchor}" font-weight="${weight}">${escapeXml(content)}</text>`;
}

function escapeXml(content) {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
