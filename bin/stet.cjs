#!/usr/bin/env node
"use strict";
// Tiny on purpose: a command loads only what it needs, and the version nothing at all (nor the streams that console would set up).
const args = process.argv.slice(2);
// Behind these words stands what the bundle of the commands on files lacks; a completion script tells of all commands.
const apart = new Set(["host", "toolset", "ui", "mcp", "bash", "zsh", "fish", "powershell"]);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) {
  require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
} else if (args[0] === "host") {
  const { run, keep } = require("../dist/compiled.cjs").load("host");
  run(args, keep);
} else if (args.some((word) => apart.has(word))) {
  import("../dist/cli.js").then(({ run }) => run(args));
} else {
  // Most plans find nothing to do, and little has to be loaded to see that.
  const isPlan = args[0] === "plan" || args[0] === "apply";
  const { answered, load } = isPlan ? require("../dist/fast-path.cjs") : require("../dist/compiled.cjs");
  if (!isPlan || !answered(args)) {
    const { run, keep } = load("files", args[0]);
    run(args, keep);
  }
}
