import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type ListenOptions, type Server } from "node:net";
import { setImmediate } from "node:timers/promises";

/**
 * An event loop accepts one connection per iteration and listening socket, and under load an iteration takes milliseconds:
 * of 200 clients that connect at once, some would wait for seconds. So several sockets listen on the same port, and the
 * system spreads connections over them.
 */
const socketsPerPort = 16;

/** Without a bound, a flood of connections would delay a stop. */
const maxIterations = 1_000;

export interface Address {
  host: string;
  /** 0: a free one, with one listening socket. */
  port: number;
}

export interface Listeners {
  /** Resolves when new connections are refused and idle ones closed. Those in use stay. Calling it again does nothing. */
  refuse(): Promise<void>;
  /** Refuses new connections. Resolves when those of the further sockets are closed. */
  close(): Promise<void>;
}

/** Only Linux spreads connections over sockets that share a port. */
const canShare = process.platform === "linux";

/**
 * Makes the server listen. `listen` is how: the server's own method, or that of the framework around it.
 * Rejects as `Server.listen` does, such as with EADDRINUSE.
 */
export async function listenOnSeveral(
  server: HttpServer,
  address: Address,
  listen: (options: Address & { reusePort: boolean }) => Promise<unknown>,
  resolve = addressesOf,
): Promise<Listeners> {
  const [host = address.host, ...others] = await resolve(address.host);
  const first = { ...address, host };
  // Sockets that share a free port chosen by the system could meet those of another process, which chose the same.
  const reusePort = canShare && address.port !== 0;
  if (reusePort) await assertFree(first);
  await listen({ ...first, reusePort });
  const further = reusePort ? await openFurther(server) : [];
  return listenersOf(server, [...further, ...(await openOthers(server, others))]);
}

/** `localhost` can have two. Fastify would open a server of its own for the second one, without any of this one's bounds. */
async function addressesOf(host: string): Promise<string[]> {
  if (host !== "localhost") return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

function listenersOf(server: HttpServer, further: readonly Server[]): Listeners {
  const stop = () => [server, ...further].forEach((each) => void each.close());
  return {
    refuse: async () => {
      await acceptWaiting(server);
      stop();
    },
    close: async () => {
      stop();
      await Promise.all(further.map(close));
    },
  };
}

/**
 * Closing a socket resets the connections that wait in its queue, and a proxy does not repeat a request that it has written into
 * one. So those are accepted first, until an iteration of the event loop finds none.
 */
async function acceptWaiting(server: HttpServer): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted++;
  };
  server.on("connection", count);
  // The first iteration may have read some of the sockets before.
  await setImmediate();
  for (let iteration = 0, before = -1; before < accepted && iteration < maxIterations; iteration++) {
    before = accepted;
    await setImmediate();
  }
  server.off("connection", count);
}

/**
 * Sockets that share a port refuse no other process that shares it, too: a second Muster must not take half of the
 * first one's clients.
 */
async function assertFree(address: Address): Promise<void> {
  const probe = createServer();
  probe.listen(address);
  await once(probe, "listening");
  await close(probe);
}

/** Their connections are the server's own in every respect but where they are counted. */
async function openFurther(server: HttpServer): Promise<Server[]> {
  const where = server.address();
  if (where === null || typeof where === "string") return [];
  const further = Array.from({ length: socketsPerPort - 1 }, () =>
    openSocket(server, { host: where.address, port: where.port, reusePort: true }),
  );
  try {
    await Promise.all(further.map((socket) => once(socket, "listening")));
  } catch (error) {
    await Promise.all(further.map(close));
    throw error;
  }
  return further;
}

/** On the same port. A machine may have a name for an address that it does not have. */
async function openOthers(server: HttpServer, hosts: readonly string[]): Promise<Server[]> {
  const where = server.address();
  if (where === null || typeof where === "string") return [];
  const others = hosts.map((host) => openSocket(server, { host, port: where.port }));
  const opened = await Promise.allSettled(others.map((socket) => once(socket, "listening")));
  return others.filter((_, index) => opened[index]?.status === "fulfilled");
}

function openSocket(server: HttpServer, where: ListenOptions): Server {
  // The same options as those of an HTTP server's own sockets.
  const socket = createServer({ allowHalfOpen: true, noDelay: true });
  socket.on("connection", (connection) => void server.emit("connection", connection));
  return socket.listen(where);
}

/** Succeeds also for one that does not listen. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
