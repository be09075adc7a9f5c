import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import type { TestScope } from "./scope.ts";

/** A network path to a local server that can be interrupted. */
export interface TestProxy {
  readonly port: number;
  /** Drops all traffic from now on, silently: no reset, no end. */
  blackhole(): void;
  /** Cuts open connections; new ones pass again. */
  restore(): void;
  /** Everything that the target sends from now on arrives this much later. */
  delay(milliseconds: number): void;
  /** That many bytes has the target sent so far. */
  sentBytes(): number;
}

/** `target`: a port, or the path of a socket. */
export async function startProxy(t: TestScope, target: number | string): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let open = true;
  let delayMs = 0;
  let sentBytes = 0;
  const pass = (data: Buffer, to: Socket) => {
    sentBytes += data.length;
    if (delayMs === 0) to.write(data);
    else setTimeout(() => to.writable && to.write(data), delayMs);
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    // Cut deliberately, so errors are expected.
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    if (!open) return;
    const upstream = keep(typeof target === "number" ? connect(target, "127.0.0.1") : connect(target));
    client.on("data", (data) => open && upstream.write(data)).on("close", () => upstream.destroy());
    upstream.on("data", (data) => open && pass(data, client)).on("close", () => client.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.onTestFinished(async () => {
    server.close();
    cut();
  });
  return {
    port: address.port,
    blackhole: () => {
      open = false;
    },
    restore: () => {
      cut();
      open = true;
    },
    delay: (milliseconds) => {
      delayMs = milliseconds;
    },
    sentBytes: () => sentBytes,
  };
}
