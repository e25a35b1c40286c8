import { ownersOf } from "../../engine/records.ts";
import { type Finding, findProblems } from "../../files/doctor/doctor.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { maskKey } from "../../report/mask/mask.ts";
import { maskInText } from "../../report/mask/text.ts";
import { counted, tilde, tildeInText } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, tell } from "../shell/io.ts";
import { machineOf, wantsColour } from "../shell/options.ts";
import { instancesOf, nothingInstalled } from "./instances.ts";

export const command = defineCommand({
  name: "doctor",
  about: `Checks that what is installed works: the scripts that hooks run are there and executable, each runtime
reads the file that is managed, nothing is duplicated or in conflict, no other tool writes the same file,
and records, files and history agree. Each finding says how to fix it. Changes nothing. Exits 1 if
something is broken.`,
  options: {
    strict: { type: "boolean", help: "exit 3 if there are warnings" },
  },
  example: "stet doctor",
  async run({ values }, io) {
    const machine = machineOf(values, io);
    const found: Finding[] = [];
    const instances = instancesOf(values, io);
    for (const each of instances) found.push(...(await findProblems(each)));
    found.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
    const findings = values["show-secrets"] ? found : found.map(masked);
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, findings }, undefined, 2)}\n`);
    else if (findings.length === 0 && instances.every((each) => ownersOf(each).length === 0))
      tell(io, values.quiet ? "" : `${nothingInstalled(io.program)}\n`);
    else if (!values.quiet) tell(io, doctorText(findings, paint(wantsColour(values, io)), machine.home));
    const [worst] = findings;
    if (worst?.severity === "error") {
      complain(
        io,
        `${io.program}: ${printableLine([worst.file, worst.message].filter((part) => part !== undefined).join(": "))}\n`,
      );
      return 1;
    }
    return values.strict && worst?.severity === "warning" ? 3 : 0;
  },
});

const severities = ["error", "warning", "info"];

function masked(finding: Finding): Finding {
  const { key, message, fix } = finding;
  const text = (part: string) =>
    key === undefined ? maskInText(part) : part.split(key).map(maskInText).join(maskKey(key));
  return { ...finding, message: text(message), fix: text(fix), key: key && maskKey(key) };
}

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
      `${paint[colours[severity]](signs[severity])} ${tildeInText(message, home)}`,
      ...(where.length > 0 ? [`    ${paint.dim(where.join("  "))}`] : []),
      `    fix: ${tildeInText(fix, home)}`,
    ].join("\n");
  });
  return `${[...blocks, summary(findings, paint)].join("\n")}\n`;
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
