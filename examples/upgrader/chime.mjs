// The installer of a made-up framework: everything it knows of other people's configuration is in its manifests.
import { InputError, loadManifest, main, reconcile, thisMachine, uninstall } from "stet";

const [command, ...args] = process.argv.slice(2);
const latest = "1.1.0";
const release = (version) => loadManifest(new URL(`releases/${version}/`, import.meta.url));
const machine = thisMachine({ program: "chime config" });

const commands = {
  async install([version = latest]) {
    const { changed, from, diagnostics } = await reconcile(await release(version), machine);
    console.log(`chime ${version}${from && from !== version ? ` (was ${from})` : ""}: ${changed} entries changed`);
    for (const { message } of diagnostics) console.log(`  ${message}`);
  },
  async uninstall() {
    const { changed } = await uninstall("chime", machine);
    console.log(`chime is gone: ${changed} entries taken out`);
  },
  async config(argv) {
    process.exitCode = await main(argv, { program: "chime config", manifest: await release(latest) });
  },
};

try {
  if (!Object.hasOwn(commands, command ?? ""))
    throw new InputError({ code: "usage", message: "usage: chime install [VERSION] | uninstall | config …" });
  await commands[command](args);
} catch (error) {
  // What stet can't do it says in one line; anything else is a bug, and shows as one.
  if (!(error instanceof InputError)) throw error;
  console.error(`chime: ${error.message}`);
  process.exitCode = 1;
}
