import { resolve } from "node:path";
import { type WatchEvent, watchPack } from "../../files/watch/watch.ts";
import { paint, printableLine } from "../../report/colour.ts";
import { jsonLine } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { maskInText } from "../../report/mask/text.ts";
import { planText } from "../../report/plan-text.ts";
import { tilde } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, type Io, tell } from "../shell/io.ts";
import { type CommonValues, machineOf, parseDuration, wantsColour } from "../shell/options.ts";
import { instanceFor, packFromArgument } from "./instances.ts";

export const command = defineCommand({
  name: "watch",
  usage: "[DIR|stet.yaml]",
  argument: "file",
  most: 1,
  about: `Applies a pack whenever its files or yours change, and at every interval, until you stop it (Ctrl-C or
SIGTERM). A write that has begun is finished first. A file that changes is left alone until it has been
quiet for a moment. An entry that a program deletes a second time stays out. With --json, prints one line
per event.`,
  options: {
    interval: { type: "string", default: "5m", value: "DURATION", help: "check everything this often (default: 5m)" },
    debounce: {
      type: "string",
      default: "500ms",
      value: "DURATION",
      help: "how long a file must be quiet first (default: 500ms)",
    },
    "report-only": { type: "boolean", help: "report what has drifted, and change nothing" },
  },
  example: "stet watch ./my-pack --interval 10m",
  async run({ values, positionals }, io) {
    const quiet = { ...io, onSignal: undefined };
    const user = machineOf(values, quiet);
    const load = () => packFromArgument(positionals[0], values, user, io);
    // A mistake of the first moment ends it; later ones are waited out.
    const machine = instanceFor(load(), user, values, quiet);
    const sources = io.manifest && positionals[0] === undefined ? [] : [manifestPath(positionals[0], io)];
    const stop = stopOnSignals();
    try {
      await watchPack({ load, sources }, machine, {
        intervalMs: parseDuration("interval", values.interval),
        quietMs: parseDuration("debounce", values.debounce),
        reportOnly: values["report-only"] === true,
        signal: stop.signal,
        tell: (event) => show(event, values, io, machine.home),
      });
    } finally {
      stop.forget();
    }
    return 0;
  },
});

function manifestPath(argument: string | undefined, io: Io): string {
  const path = resolve(io.cwd, argument ?? ".");
  return /\.ya?ml$/.test(path) ? path : resolve(path, "stet.yaml");
}

function stopOnSignals(): { readonly signal: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGTERM", onSignal);
  process.once("SIGINT", onSignal);
  return {
    signal: stop.signal,
    forget: () => {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
    },
  };
}

function show(event: WatchEvent, values: CommonValues, io: Io, home: string): void {
  const shown =
    values["show-secrets"] || !("document" in event) ? event : { ...event, document: maskPlan(event.document) };
  const time = io.now().toISOString();
  if (values.json) io.out(`${jsonLine({ time, ...shown })}\n`);
  else if (shown.kind === "failed")
    complain(io, `${io.program}: ${printableLine(maskInText(shown.message))}; next try in ${shown.retryMs / 1000} s\n`);
  else if (!values.quiet) tell(io, eventText(shown, time, values, io, home));
}

function eventText(
  event: Exclude<WatchEvent, { kind: "failed" }>,
  time: string,
  values: CommonValues,
  io: Io,
  home: string,
): string {
  const colours = paint(wantsColour(values, io));
  const at = colours.dim(time.slice(11, 19));
  switch (event.kind) {
    case "watching":
      return `${at} watching ${event.files.map((file) => tilde(file, home)).join(", ")}\n`;
    case "in-sync":
      return `${at} in sync\n`;
    case "left-out":
      return `${at} ${colours.yellow("deleted again, so it stays out from now on:")} ${printableLine(event.keys.join(", "))}\n`;
    case "stopped":
      return `${at} stopped\n`;
    case "applied":
    case "drifted": {
      const { program } = io;
      const tense = event.kind === "applied" ? "apply" : "plan";
      return `${at} ${event.kind}\n${planText(event.document, { paint: colours, verbose: false, diff: false, tense, program, home })}`;
    }
  }
}
