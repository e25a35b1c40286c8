import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usualAnswerLimits } from "../../../src/toolset/api/api.ts";
import { connect } from "../../../src/toolset/api/https-api.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "stet-certificates-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function certificate(name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", ["req", ...kind, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

it("a client certificate of a plugin is renewed, and the plugin runs once each time", async () => {
  const seen: string[] = [];
  const own = certificate("server");
  const server = createServer({ ...own, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    seen.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
    response.writeHead(200, { "content-type": "application/json" }).end('{"metadata":{"name":"x"}}');
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const clock = { now: Date.now() };
  const expires = new Date(clock.now + 3_600_000).toISOString();
  for (const [name, expirationTimestamp] of [
    ["one", expires],
    ["two", undefined],
  ] as const) {
    const { cert, key } = certificate(name);
    writeFileSync(
      join(folder, name),
      JSON.stringify({ status: { clientCertificateData: cert, clientKeyData: key, expirationTimestamp } }),
    );
  }
  // The first run hands out `one`, every later one `two`.
  writeFileSync(
    join(folder, "plugin.sh"),
    '#!/bin/sh\ncd "$(dirname "$0")"\necho >> runs\n[ "$(wc -l < runs)" -eq 1 ] && cat one || cat two\n',
  );
  chmodSync(join(folder, "plugin.sh"), 0o755);
  const plugin = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: join(folder, "plugin.sh"),
    args: [],
    env: {},
    folder,
  };
  const api = await connect(
    {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      authority: { kind: "inline", base64: Buffer.from(own.cert).toString("base64") },
      insecure: false,
      serverName: undefined,
      certificate: undefined,
      key: undefined,
      credentials: { kind: "exec", plugin },
    },
    process.env,
    usualAnswerLimits,
    () => clock.now,
  );
  const ask = () => api.request({ method: "GET", path: "/api" });
  try {
    await Promise.all([ask(), ask(), ask()]);
    clock.now += 3_590_000;
    await Promise.all([ask(), ask(), ask()]);
    expect(seen).toEqual(["one", "one", "one", "two", "two", "two"]);
    expect(readFileSync(join(folder, "runs"), "utf8")).toBe("\n\n");
  } finally {
    api.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});
