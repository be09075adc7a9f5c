import { GrowingBuffer } from "@muster/large-data";
import { headerBytes, maxFrameBytes } from "./frames.ts";

export interface ReceivedFrame {
  type: number;
  payload: Buffer;
}

/** The process broke the rules of the line. */
export class FrameError extends Error {}

/** Cuts what a process sends into frames. Nothing that it sends is trusted. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<ReceivedFrame> {
  const waiting = new GrowingBuffer();
  let needed: number = headerBytes;
  for await (const data of source) {
    waiting.add(data);
    if (waiting.length < needed) continue;
    let rest = waiting.take();
    needed = headerBytes;
    while (rest.length >= headerBytes) {
      const size = rest.readUInt32BE();
      if (size < 1 || size > maxFrameBytes) throw new FrameError("a frame has a wrong size");
      needed = 4 + size;
      if (rest.length < needed) break;
      yield { type: rest.readUInt8(4), payload: rest.subarray(headerBytes, needed) };
      rest = rest.subarray(needed);
      needed = headerBytes;
    }
    waiting.add(rest);
  }
}
