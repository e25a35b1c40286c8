import fs from "node:fs";
import { run } from "../../src/cli/process.ts";

/** The real command line in a process of its own. The marks show in a trace where it begins and ends. */
fs.existsSync("/stet-begin");
await run(process.argv.slice(2));
fs.existsSync("/stet-end");
