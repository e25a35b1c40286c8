import { createServer, type Socket, connect as tcpConnect } from "node:net";

/** A way to the API server that can be cut, or go silent without a word, as networks do. */
export interface FlakyProxy {
  readonly port: number;
  /** Cut every connection there is; new ones work. */
  cut(): void;
  /** Let nothing through any more on the connections there are, and keep them open; new ones work. */
  stall(): void;
  connections(): number;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<FlakyProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = tcpConnect(target, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on("error", () => {});
      socket.on("close", () => {
        near.destroy();
        far.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      for (const [near] of pairs) near.destroy();
    },
    stall() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
    connections: () => pairs.size,
    close: () =>
      new Promise((done) => {
        for (const [near] of pairs) near.destroy();
        server.close(() => done());
      }),
  };
}
