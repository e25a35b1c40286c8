// Makes docs/plan.svg, the README's picture: real output of `stet plan` as a terminal shows it. The same input gives
// the same bytes.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** An upgrade of the example's framework after its user made the file theirs. */
export function planPicture(program) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "stet-picture-")));
  try {
    const home = join(folder, "home");
    mkdirSync(home);
    cpSync(join(root, "examples/upgrader/releases"), join(folder, "releases"), { recursive: true });
    const stet = (...args) =>
      execFileSync(process.execPath, [program, ...args], {
        cwd: folder,
        env: { HOME: home, FORCE_COLOR: "1" },
        encoding: "utf8",
      });
    stet("apply", "releases/1.0.0", "-q");
    const file = join(home, ".chime/config.json");
    const edited = readFileSync(file, "utf8")
      .replace('"volume": 3', '"volume": 11')
      .replace("greet.js", "greet.js --softly");
    writeFileSync(file, edited);
    return svg("stet plan releases/1.1.0", stet("plan", "releases/1.1.0"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const colours = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea" };
const [charWidth, lineHeight, padding] = [8.4, 20, 18];

/** A terminal with a command line and what it printed. */
function svg(command, output) {
  const lines = [`\u001b[2m$\u001b[22m ${command}`, ...output.trimEnd().split("\n")];
  const columns = Math.max(...lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, "").length));
  const [width, height] = [Math.ceil(columns * charWidth + 2 * padding), lines.length * lineHeight + 2 * padding];
  const texts = lines.map((line, i) => {
    const y = padding + (i + 0.75) * lineHeight;
    return `<text x="${padding}" y="${y}" xml:space="preserve">${spans(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(command)}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3">
${texts.join("\n")}
</g>
</svg>
`;
}

/** The pieces of a line, each with the colour and weight that its escape sequences give it. */
function spans(line) {
  const style = { fill: undefined, bold: false, dim: false };
  return line
    .split(/(\u001b\[\d+m)/)
    .map((piece) => {
      const code = /^\u001b\[(\d+)m$/.exec(piece)?.[1];
      if (code === undefined) return piece === "" ? "" : span(piece, style);
      if (code === "1") style.bold = true;
      else if (code === "2") style.dim = true;
      else if (code === "22") style.bold = style.dim = false;
      else style.fill = colours[code];
      return "";
    })
    .join("");
}

function span(text, { fill, bold, dim }) {
  const attributes = [fill && `fill="${fill}"`, bold && 'font-weight="bold"', dim && 'fill-opacity="0.6"'].filter(
    Boolean,
  );
  return attributes.length === 0 ? escapeXml(text) : `<tspan ${attributes.join(" ")}>${escapeXml(text)}</tspan>`;
}

function escapeXml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(root, "docs/plan.svg"), planPicture(join(root, "bin/stet.cjs")));
