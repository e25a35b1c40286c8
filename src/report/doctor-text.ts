import { type Paint, printableLine } from "./colour.ts";
import type { Finding } from "./finding.ts";
import { counted, tilde } from "./values.ts";

const signs = { error: "✗", warning: "!", info: "·" } as const;
const colours = { error: "red", warning: "yellow", info: "dim" } as const satisfies Record<
  Finding["severity"],
  keyof Paint
>;

/** Each finding: what, where, how to fix it; the number of them last. */
export function doctorText(findings: readonly Finding[], paint: Paint, home: string): string {
  const blocks = findings.map(({ severity, message, fix, owner, file, key }) => {
    const where = [owner, file && tilde(file, home), key]
      .filter((part) => part !== undefined)
      .map((part) => printableLine(part));
    return [
      `${paint[colours[severity]](signs[severity])} ${withTilde(message, home)}`,
      ...(where.length > 0 ? [`    ${paint.dim(where.join("  "))}`] : []),
      `    fix: ${withTilde(fix, home)}`,
    ].join("\n");
  });
  return `${[...blocks, summary(findings, paint)].join("\n")}\n`;
}

/**
 * Paths inside a sentence or a command, as a person would say them. One in quotes stays: no shell reads a tilde there.
 */
function withTilde(text: string, home: string): string {
  return printableLine(text.replaceAll(/(?<=^|[\s(])\/\S+/g, (path) => tilde(path, home)));
}

function summary(findings: readonly Finding[], paint: Paint): string {
  if (findings.length === 0) return paint.green("Everything that is installed works.");
  const count = (severity: Finding["severity"]) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings, infos] = [count("error"), count("warning"), count("info")];
  const parts = [
    counted(errors, "error", "errors"),
    counted(warnings, "warning", "warnings"),
    counted(infos, "note", "notes"),
  ];
  return paint.bold(parts.join(", "));
}
