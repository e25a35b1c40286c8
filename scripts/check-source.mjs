// Patterns that no file of src/ may hold, each with the reason.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/", import.meta.url));

const forbidden = [
  [
    /\bas unknown as\b/,
    "`as unknown as` hides what the compiler would find; parse the value, or make the types say it",
  ],
  [
    /\{\s*\.\.\.(?:\w+\.)*actual\s*[,}]/,
    "an actual entry reads its value when asked: a copy made by spreading has none",
  ],
];

const problems = [];
for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
  const path = join(entry.parentPath, entry.name);
  const lines = readFileSync(path, "utf8").split("\n");
  lines.forEach((line, i) => {
    for (const [pattern, reason] of forbidden)
      if (pattern.test(line)) problems.push(`src/${relative(source, path)}:${i + 1}: ${reason}`);
  });
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
