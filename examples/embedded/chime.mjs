// A framework whose config commands are stet's, under its own name: `chime config plan`, `chime config blame FILE`, …
import { main } from "stet";
import { manifest } from "./manifest.mjs";

const [command, ...args] = process.argv.slice(2);
if (command === "config") {
  process.exitCode = await main(args, { program: "chime config", manifest });
} else {
  console.error("usage: chime config COMMAND …");
  process.exitCode = 1;
}
