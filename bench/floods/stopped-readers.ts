import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { definition, message, session, warmUp } from "./calls.ts";
import type { Flood } from "./flood.ts";
import { postUnread } from "./raw-requests.ts";
import type { WatchedServer } from "./server.ts";

const readers = 50;
/** The longest hold of an idle server, in milliseconds. */
const quietMs = 10;

/** Readers that take nothing of a response of 8 MiB. The system keeps a part of it for each of them. */
export async function* stoppedReaders(server: WatchedServer): AsyncGenerator<Flood> {
  const { api } = server;
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  const leaving = await startReaders(server, agentId);
  yield { name: "50 stopped readers leave at once", send: () => leave(leaving) };
  const staying = await startReaders(server, agentId);
  yield { name: "50 stopped readers are cut at once", send: () => cut(staying) };
}

async function startReaders(server: WatchedServer, agentId: string): Promise<Socket[]> {
  const { api } = server;
  const paths = await Promise.all(Array.from({ length: readers }, () => session(api, agentId)));
  const body = JSON.stringify(message("Write a book."));
  const sockets = await Promise.all(paths.map((path) => postUnread(api, `${path}/trigger`, body)));
  for (const socket of sockets) socket.on("error", () => undefined);
  // Until the buffers of the system are full, and the models wait.
  do await sleep(2_000);
  while ((await server.measured()) > quietMs);
  return sockets;
}

async function leave(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) socket.resetAndDestroy();
  await sleep(5_000);
}

async function cut(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) {
    // Only a write shows that the server has closed the connection; an empty line before a request is ignored.
    while (!socket.destroyed) {
      socket.write("\r\n");
      await sleep(200);
    }
  }
  await sleep(5_000);
}
