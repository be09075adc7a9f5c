import { headerBytes, maxFrameBytes } from "./frames.ts";

export interface ReceivedFrame {
  type: number;
  payload: Buffer;
}

/** The process broke the rules of the line. */
export class FrameError extends Error {}

/** Cuts what a process sends into frames. Nothing that it sends is trusted. */
export async function* readFrames(source: AsyncIterable<Buffer>): AsyncGenerator<ReceivedFrame> {
  let waiting: Buffer[] = [];
  let available = 0;
  let needed: number = headerBytes;
  for await (const data of source) {
    waiting.push(data);
    available += data.length;
    if (available < needed) continue;
    let rest = waiting.length === 1 && waiting[0] !== undefined ? waiting[0] : Buffer.concat(waiting);
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
    waiting = rest.length > 0 ? [rest] : [];
    available = rest.length;
  }
}
