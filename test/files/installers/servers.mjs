// An installer for two runtimes that writes what it needs with the tools at hand.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const home = process.env.HOME;
const at = (...names) => join(home, ...names);
mkdirSync(at(".codex"), { recursive: true });
mkdirSync(at(".memo/releases/2.1.0"), { recursive: true });
writeFileSync(at(".memo/releases/2.1.0/server.js"), `// ${home}\nconsole.log("\u00fcber");\n`);
writeFileSync(at(".memo/releases/2.1.0/logo.bin"), Buffer.from([0x89, 0x50, 0xff, 0x00, 0x1a]));
symlinkSync(at(".memo/releases/2.1.0"), at(".memo/current"));
writeFileSync(at(".memo/private.txt"), "for my eyes only\n");
chmodSync(at(".memo/private.txt"), 0o600);
writeFileSync(
  at(".codex/config.toml"),
  `model = "o3"\n\n[mcp_servers.memo]\ncommand = "node"\nargs = ["${home}/.memo/current/server.js"]\n`,
);
const servers = { memo: { type: "stdio", command: "node", args: [`${home}/.memo/current/server.js`] } };
writeFileSync(at(".claude.json"), `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`);
writeFileSync(at(".bashrc"), "export MEMO=1\n");
