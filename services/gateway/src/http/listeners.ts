import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";

/**
 * An event loop accepts one connection per iteration and listening socket, and under load an iteration takes milliseconds:
 * of 200 clients that connect at once, some would wait for seconds. So several sockets listen on the same port, and the
 * system spreads connections over them.
 */
const socketsPerPort = 16;

export interface Address {
  host: string;
  /** 0: a free one, with one listening socket. */
  port: number;
}

export interface Listeners {
  /** Accepts nothing more. Resolves when the connections of the further sockets are closed. */
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
): Promise<Listeners> {
  // Sockets that share a free port chosen by the system could meet those of another process, which chose the same.
  if (!canShare || address.port === 0) {
    await listen({ ...address, reusePort: false });
    return { close: async () => {} };
  }
  await assertFree(address);
  await listen({ ...address, reusePort: true });
  const further = await openFurther(server);
  return { close: async () => void (await Promise.all(further.map(close))) };
}

/** Sockets that share a port refuse nobody who shares it, too: a second Muster must not take half of the first one's clients. */
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
  const further = Array.from({ length: socketsPerPort - 1 }, () => {
    // As an HTTP server sets its own sockets.
    const socket = createServer({ allowHalfOpen: true, noDelay: true });
    socket.on("connection", (connection) => void server.emit("connection", connection));
    socket.listen({ host: where.address, port: where.port, reusePort: true });
    return socket;
  });
  try {
    await Promise.all(further.map((socket) => once(socket, "listening")));
  } catch (error) {
    await Promise.all(further.map(close));
    throw error;
  }
  return further;
}

/** Succeeds also for one that does not listen. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
