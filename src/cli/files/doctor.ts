import { findProblems } from "../../files/doctor/doctor.ts";
import { paint, printableLine } from "../../report/colour.ts";
import { doctorText } from "../../report/doctor-text.ts";
import type { Finding } from "../../report/finding.ts";
import { maskKey } from "../../report/mask/mask.ts";
import { maskInText } from "../../report/mask/text.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf, wantsColour } from "../shell/options.ts";
import { complain, tell } from "../shell/tell.ts";
import { instancesOf } from "./instances.ts";

export const command = defineCommand({
  name: "doctor",
  usage: "",
  argument: "nothing",
  most: 0,
  about: `Checks that what is installed works: the scripts that hooks run are there and executable, the
managed file is the one its runtime reads, nothing is doubled or in conflict, no other tool writes
the same file, and records, files and history agree. Each finding says how to fix it. Changes
nothing. Exit 1 if something is broken.`,
  options: {
    strict: { type: "boolean", help: "exit 3 also for warnings" },
  },
  example: "stet doctor",
  async run({ values }, io) {
    const machine = machineOf(values, io);
    const found: Finding[] = [];
    for (const each of instancesOf(values, io)) found.push(...(await findProblems(each)));
    found.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
    const findings = values["show-secrets"] ? found : found.map(masked);
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, findings }, undefined, 2)}\n`);
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
