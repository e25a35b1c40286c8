import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KubeApi } from "../../src/toolset/api/api.ts";
import { connect } from "../../src/toolset/api/https-api.ts";
import { listServices } from "../../src/toolset/api/resources.ts";
import { Terminal } from "../cli/terminal.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An API server that answers whatever a test wants. */
let answer: Answer;
let requests: string[];
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  answer(request, response);
});
let address: string;

beforeEach(async () => {
  requests = [];
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const json = (value: unknown): Answer => text(JSON.stringify(value), "application/json");
const text =
  (body: string, type: string, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { "content-type": type }).end(body);

function kubeconfig(terminal: Terminal): string[] {
  const context = "current-context: c\ncontexts: [{ name: c, context: { cluster: k } }]\n";
  terminal.write("kubeconfig", `${context}clusters: [{ name: k, cluster: { server: "${address}" } }]\n`);
  return ["--kubeconfig", terminal.at("kubeconfig")];
}

async function withApi<T>(
  use: (api: KubeApi) => Promise<T>,
  limits = { bytes: 1e6, lineBytes: 1e5, depth: 50, values: 10_000 },
): Promise<T> {
  const none = { authority: undefined, insecure: false, serverName: undefined, certificate: undefined, key: undefined };
  const api = await connect({ server: address, ...none, credentials: { kind: "none" } }, {}, limits);
  try {
    return await use(api);
  } finally {
    api.close();
  }
}

const list = (items: unknown, next?: string) => ({ metadata: { resourceVersion: "1", continue: next }, items });
const item = (name: string) => ({ metadata: { name, namespace: "n" } });

describe("what no API server answers is told in one line", () => {
  it.each([
    [
      "a web page",
      text("<html><body>Sign in</body></html>", "text/html"),
      /answered with a web page; is this the address of a Kubernetes/,
    ],
    ["a web page that refuses", text("<html>502</html>", "text/html", 502), /answered 502 with a web page/],
    ["nothing", text("", "application/json"), /answered with nothing/],
    [
      "half a document",
      text('{"metadata":{},"items":[', "application/json"),
      /answered with something that is not JSON/,
    ],
    ["a number", json(7), /made a mistake: the list of .* is not an object/],
    ["null", json(null), /made a mistake: the list of .* is not an object/],
    ["no items", json({ metadata: {} }), /made a mistake: the list of .* has no items/],
    ["null items", json(list([item("a"), null])), /made a mistake: an item of .* is not an object/],
    ["items that are texts", json(list(["a"])), /made a mistake: an item of .* is not an object/],
    ["nameless items", json(list([{ metadata: {} }])), /made a mistake: an item of .* has no name/],
    ["items as a map", json(list({ a: 1 })), /made a mistake: the list of .* has no items/],
    ["a list that does not go on", json(list([], "more")), /made a mistake: the list of .* does not go on/],
    [
      "what is nested without end",
      text(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "application/json"),
      /nested more than 200 levels/,
    ],
    [
      "values without end",
      text(`{"a":[${"{},".repeat(3_000_000)}{}]}`, "application/json"),
      /more than 2000000 values/,
    ],
    ["a refusal that is null", text("null", "application/json", 403), /answered 403/],
  ])("%s", async (_, answered, line) => {
    answer = answered;
    const terminal = new Terminal();
    const { code, out, err } = await terminal.run("toolset", "plan", ...kubeconfig(terminal));
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: expect.stringMatching(/^stet: [^\n]+\n$/) });
    expect(err).toMatch(line);
  });

  it.each([
    ["data that is no map", { data: [] }, /data of ConfigMap x must be a map of texts/],
    [
      "data of another type",
      { data: { "overrides.yaml": { tools: [] } } },
      /data of ConfigMap x must be a map of texts/,
    ],
    ["annotations of another type", { metadata: { name: "x", annotations: { a: 1 } } }, /annotations of ConfigMap x/],
  ])("a ConfigMap with %s", async (_, wrong, line) => {
    answer = (request, response) =>
      json(request.url!.includes("/services") ? list([]) : { kind: "ConfigMap", metadata: { name: "x" }, ...wrong })(
        request,
        response,
      );
    const terminal = new Terminal();
    const { code, err } = await terminal.run("toolset", "apply", ...kubeconfig(terminal));
    expect(code).toBe(1);
    expect(err).toMatch(line);
    expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  });
});

describe("a server that never comes to an end", () => {
  it("an endless answer is given up at the limit", async () => {
    let sent = 0;
    answer = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(" ".repeat(65_536))) sent += 65_536;
      };
      response.on("drain", more);
      more();
    };
    await expect(withApi((api) => api.request({ method: "GET", path: "/x" }))).rejects.toThrow("more than");
    expect(sent).toBeLessThan(20_000_000);
  });

  it("a watch with an endless line is given up at the limit", async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };
    const watch = async (api: KubeApi) => {
      for await (const _ of api.stream({ method: "GET", path: "/x" }, new AbortController().signal));
    };
    await expect(withApi(watch)).rejects.toThrow("more than");
  });

  it("a page that is too large is asked for in halves: one tenant's bulk hides nobody else", async () => {
    const all = Array.from({ length: 40 }, (_, i) => ({
      ...item(`s${i}`),
      metadata: { ...item(`s${i}`).metadata, annotations: { a: "x".repeat(50_000) } },
    }));
    answer = (request, response) => {
      const query = new URL(request.url!, address).searchParams;
      const [from, limit] = [Number(query.get("continue") ?? 0), Number(query.get("limit"))];
      const next = from + limit < all.length ? String(from + limit) : undefined;
      json(list(all.slice(from, from + limit), next))(request, response);
    };
    const names: (string | undefined)[] = [];
    await withApi((api) => listServices(api, [], (service) => names.push(service.metadata?.name)));
    expect(names).toEqual(all.map((each) => each.metadata.name));
  });

  it("creating what is never there backs off, and ends", async () => {
    answer = (request, response) => {
      if (request.url!.includes("/services")) json(list([]))(request, response);
      else if (request.method === "POST") json({ metadata: { name: "x" } })(request, response);
      else text('{"reason":"NotFound","message":"not found"}', "application/json", 404)(request, response);
    };
    const terminal = new Terminal();
    const { code, err } = await terminal.run("toolset", "apply", ...kubeconfig(terminal));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(/created, and is not there/) });
    expect(requests.length).toBeLessThan(40);
  });
});
