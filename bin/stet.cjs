#!/usr/bin/env node
"use strict";
// Tiny on purpose: a command loads only the chunks it needs, and the version none at all (nor the streams that console would set up).
const [, , first, ...rest] = process.argv;
if ((first === "--version" || first === "-V") && rest.length === 0) {
  require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
} else if ((first !== "plan" && first !== "apply") || !require("../dist/short-way.cjs").answered(process.argv.slice(2))) {
  import("../dist/cli.js").then(({ run }) => run(process.argv.slice(2)));
}
