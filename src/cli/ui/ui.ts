import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { defineCommand } from "../shell/command.ts";
import { complain } from "../shell/io.ts";
import { Api } from "./api.ts";
import { assets } from "./assets.ts";
import { serveUi } from "./server.ts";
import { watchFiles } from "./watch.ts";

export const command = defineCommand({
  name: "ui",
  about: `Shows what needs you, who owns each line of a file, what every runtime runs, and the history, in a browser
on this machine. The address it prints works once. Ctrl-C ends it.`,
  options: {
    port: { type: "string", value: "N", help: "the port on 127.0.0.1 (default: any free one)" },
    repo: { type: "string", value: "DIR", help: "also show the hosts of this repository" },
    services: { type: "string", value: "FILE", help: "also show the toolset of these Services" },
    configmap: { type: "string", value: "FILE", help: "with --services: the current ConfigMap" },
  },
  example: "stet ui",
  async run({ values }, io) {
    if (assets === undefined)
      throw new InputError({ code: "usage", message: "the page is part of a build: npm run build" });
    const port = values.port === undefined ? 0 : Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65535)
      throw new InputError({ code: "usage", message: `--port ${values.port}: a port is a number up to 65535` });
    const at = (file: string | undefined) => (file === undefined ? undefined : resolve(io.cwd, file));
    const options = { values, repo: at(values.repo), services: at(values.services), configmap: at(values.configmap) };
    const api = new Api(io, options);
    const server = await serveUi(api, assets, port);
    io.out(`${server.address}\n`);
    if (!values.quiet) complain(io, "Open this address in a browser on this machine. Ctrl-C ends it.\n");
    await untilSignal((stop) => watchFiles(() => api.watched(), server.tell, stop));
    io.err("\n");
    await server.close();
    return 0;
  },
});

async function untilSignal(meanwhile: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, onSignal);
  await meanwhile(stop.signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(signal, onSignal);
}
