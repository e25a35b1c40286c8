// Makes docs/plan.svg and docs/upgrade.svg: real output as a terminal shows it. The same input gives the same bytes.
import { execFileSync, spawnSync } from "node:child_process";
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
    return svg([["stet plan releases/1.1.0", stet("plan", "releases/1.1.0")]]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One upgrade of a user's settings twice: by an ordinary installer, and by stet. What each of them changed. */
export function upgradePicture(program) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "stet-picture-")));
  try {
    const example = join(root, "examples/settings");
    const file = join(folder, ".claude/settings.json");
    const node = (...args) =>
      execFileSync(process.execPath, args, { cwd: example, env: { HOME: folder }, encoding: "utf8" });
    const mine = () => readFileSync(join(example, "settings.json"), "utf8").replace('"timeout": 5', '"timeout": 30');
    const changes = (change) => {
      const before = readFileSync(file, "utf8");
      change();
      writeFileSync(join(folder, "before.json"), before);
      return lineChanges(folder);
    };
    mkdirSync(join(folder, ".claude"));
    writeFileSync(file, mine());
    const installer = changes(() => node("install.mjs"));
    // The framework was installed before, and its user has changed a timeout and added a hook since.
    writeFileSync(file, "{}\n");
    node(program, "apply", "pack/1.0.0", "-q");
    writeFileSync(file, mine());
    const ours = changes(() => node(program, "apply", "pack/1.1.0", "-q"));
    return svg([
      ["node install.mjs && git diff", installer],
      ["stet apply pack/1.1.0 && git diff", ours],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What `git diff` shows of the two files, without its heading. */
function lineChanges(folder) {
  const args = ["diff", "--no-index", "--no-color", "before.json", ".claude/settings.json"];
  const { stdout } = spawnSync("git", args, { cwd: folder, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
  const lines = stdout.trimEnd().split("\n").slice(4);
  const colour = (line) => (line.startsWith("+") ? 32 : line.startsWith("-") ? 31 : line.startsWith("@@") ? 36 : 0);
  return lines.map((line) => (colour(line) === 0 ? line : `\u001b[${colour(line)}m${line}\u001b[39m`)).join("\n");
}

const colours = { 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 34: "#79c0ff", 35: "#d2a8ff", 36: "#76e3ea" };
const [charWidth, lineHeight, padding] = [8.4, 20, 18];

/** A terminal with command lines and what they printed. */
function svg(runs) {
  const lines = runs.flatMap(([command, output], i) => [
    ...(i === 0 ? [] : [""]),
    `\u001b[2m$\u001b[22m ${command}`,
    ...output.trimEnd().split("\n"),
  ]);
  const command = runs.map(([each]) => each).join("; ");
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
