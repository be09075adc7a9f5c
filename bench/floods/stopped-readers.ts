import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";
import { definition, message, session, warmUp } from "./calls.ts";
import type { Flood } from "./flood.ts";
import type { WatchedServer } from "./server.ts";

const readers = 50;

/** Readers that take nothing of a response of 8 MiB. The system keeps a part of it for each of them. */
export async function* stoppedReaders({ api }: WatchedServer): AsyncGenerator<Flood> {
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  const staying = await startReaders(api, agentId);
  yield { name: "50 stopped readers are cut at once", send: () => cut(staying) };
}

async function startReaders(api: Api, agentId: string): Promise<Socket[]> {
  const paths = await Promise.all(Array.from({ length: readers }, () => session(api, agentId)));
  const body = JSON.stringify(message("Write a book."));
  const sockets = await Promise.all(paths.map((path) => api.postUnread(`${path}/trigger`, body)));
  for (const socket of sockets) socket.on("error", () => undefined);
  // The buffers of the system are full, and the models wait.
  await sleep(10_000);
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
