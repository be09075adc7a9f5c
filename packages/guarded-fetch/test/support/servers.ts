import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { createServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import type { TestScope } from "@muster/testing";
import type { GuardOptions } from "../../src/guard.ts";
import { createGuardedFetch, type GuardedFetch } from "../../src/guarded-fetch.ts";
import { testCertificate } from "./certificate.ts";
import { testGuard } from "./test-guard.ts";

/** Starts an HTTPS server for files.example and other.example on a free port, closed after the test. Returns the port. */
export async function serveTls(t: TestScope, listener: RequestListener): Promise<number> {
  const server = createServer(testCertificate, listener).listen(0, "127.0.0.1");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return portOf(server);
}

/** Starts a TCP server that speaks no protocol of its own. */
export async function serveTcp(t: TestScope, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${portOf(server)}`;
}

/** Treats 127.0.0.1 as a public address, to which every name resolves unless `resolve` says otherwise. */
export function fetchInTest(options: GuardOptions = {}): GuardedFetch {
  return createGuardedFetch({ ...testGuard, ...options });
}

function portOf(server: Pick<Server, "address">): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
