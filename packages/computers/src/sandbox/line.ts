import { once } from "node:events";
import type { Socket } from "node:net";
import { type FrameType, frameHeader, frameTypes, inChunks } from "./frames.ts";

/** Sends frames at the pace at which the process reads them. */
export function createLine(socket: Socket) {
  const send = async (type: FrameType, payload: Uint8Array | string = ""): Promise<void> => {
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    if (socket.destroyed) return;
    socket.cork();
    socket.write(frameHeader(type, bytes.length));
    const flows = socket.write(bytes);
    socket.uncork();
    // A process that died never drains, but it closes.
    if (!flows && !socket.destroyed) await Promise.race([once(socket, "drain"), once(socket, "close")]);
  };
  return {
    send,
    async sendAll(type: FrameType, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
      for await (const part of chunks) for (const chunk of inChunks(part)) await send(type, chunk);
    },
    end: () => send(frameTypes.end),
  };
}

export type Line = ReturnType<typeof createLine>;
