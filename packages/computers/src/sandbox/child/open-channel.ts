import { readSync, writeSync } from "node:fs";
import { type FrameType, frameHeader, frameTypes, headerBytes, inChunks, maxFrameBytes } from "../frames.ts";
import type { FetchHead, FetchRequest, Job, JobEnd } from "../job.ts";

export interface Frame {
  type: number;
  payload: Buffer;
}

/** The parent is gone or refuses to continue: there is no reader left to work for. */
class ChannelClosedError extends Error {}

/**
 * The line to the parent process. Everything blocks: a slow parent slows the command down instead of filling the memory, and no
 * code of the command runs in between.
 */
export function openChannel(fd: number) {
  const readExactly = (size: number): Buffer => {
    const buffer = Buffer.allocUnsafe(size);
    for (let filled = 0; filled < size; ) {
      const read = readSync(fd, buffer, filled, size - filled, null);
      if (read === 0) throw new ChannelClosedError("the parent closed the line");
      filled += read;
    }
    return buffer;
  };
  const read = (): Frame => {
    const header = readExactly(headerBytes);
    const size = header.readUInt32BE() - 1;
    if (size < 0 || size > maxFrameBytes) throw new ChannelClosedError("a frame has a wrong size");
    return { type: header.readUInt8(4), payload: readExactly(size) };
  };
  const send = (type: FrameType, payload: Uint8Array | string = ""): void => {
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    writeAll(fd, frameHeader(type, bytes.length));
    writeAll(fd, bytes);
  };
  const sendAll = (type: FrameType, bytes: Uint8Array): void => {
    for (const chunk of inChunks(bytes)) send(type, chunk);
  };
  /** The chunks up to the end; undefined if the parent refuses, with its reason in `refusal`. */
  const readContent = (): { content: Buffer } | { refusal: string } => {
    const chunks: Buffer[] = [];
    for (;;) {
      const { type, payload } = read();
      if (type === frameTypes.chunk) chunks.push(payload);
      else if (type === frameTypes.end) return { content: Buffer.concat(chunks) };
      else if (type === frameTypes.refused) return { refusal: payload.toString() };
      else throw new ChannelClosedError("an unexpected frame");
    }
  };
  return {
    /** Waits for work: the job, and the manifest of the files. */
    readJob(): { job: Job; manifest: Buffer } {
      const { payload } = read();
      const job: Job = JSON.parse(payload.toString());
      const chunks: Buffer[] = [];
      for (let frame = read(); frame.type !== frameTypes.start; frame = read()) chunks.push(frame.payload);
      return { job, manifest: Buffer.concat(chunks) };
    },
    output(stream: "stdout" | "stderr", text: string): void {
      const mark = Buffer.from([stream === "stdout" ? 1 : 2]);
      for (const chunk of inChunks(Buffer.from(text))) send(frameTypes.output, Buffer.concat([mark, chunk]));
    },
    load(blob: string): Buffer {
      send(frameTypes.need, blob);
      const answer = readContent();
      if ("refusal" in answer) throw new ChannelClosedError(answer.refusal);
      return answer.content;
    },
    /** Throws with the parent's reason if the request is refused or fails. */
    fetch(request: FetchRequest): { head: FetchHead; body: Buffer } {
      const text = Buffer.from(JSON.stringify(request));
      sendAll(frameTypes.fetch, text);
      send(frameTypes.fetch);
      const first = readContent();
      if ("refusal" in first) throw new Error(first.refusal);
      const body = readContent();
      if ("refusal" in body) throw new Error(body.refusal);
      return { head: JSON.parse(first.content.toString()), body: body.content };
    },
    started: () => send(frameTypes.started),
    exit: (end: JobEnd) => send(frameTypes.exit, JSON.stringify(end)),
    upload(bytes: Uint8Array): void {
      sendAll(frameTypes.fileChunk, bytes);
      send(frameTypes.fileEnd);
    },
    manifest: (text: Uint8Array) => sendAll(frameTypes.newManifest, text),
    finished: () => send(frameTypes.finished),
    failed: (problem: string) => send(frameTypes.failed, problem.slice(0, 1_000)),
  };
}

export type Channel = ReturnType<typeof openChannel>;

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}
