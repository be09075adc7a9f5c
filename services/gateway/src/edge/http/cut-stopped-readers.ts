import type { Server } from "node:http";
import type { Socket } from "node:net";
import { ReaderProgress } from "./reader-progress.ts";

/** Within the time that a reader may stop for. */
const checks = 12;

/**
 * Cuts the connections whose readers have taken nothing for `timeoutMs` while data was waiting for them. Otherwise the
 * requests of such a reader would be in progress for as long as it likes, and its responses in memory.
 */
export function cutStoppedReaders(server: Server, timeoutMs: number): void {
  const readers = new Map<Socket, ReaderProgress>();
  const everyMs = timeoutMs / checks;
  // Counted in checks and not by the clock: after a pause of the process, readers have had no chance to take anything.
  let nowMs = 0;
  const check = () => {
    nowMs += everyMs;
    for (const [socket, progress] of readers) {
      if (progress.observe(socket, nowMs) >= timeoutMs) socket.destroy();
    }
  };
  const timer = setInterval(check, everyMs).unref();
  server.on("connection", (socket: Socket) => {
    readers.set(socket, new ReaderProgress(nowMs));
    socket.once("close", () => {
      readers.delete(socket);
      endWithLast();
    });
  });
  // A server that refuses new connections may still have some that others accepted for it.
  const endWithLast = () => {
    if (readers.size === 0 && !server.listening) clearInterval(timer);
  };
  server.on("close", endWithLast);
}
