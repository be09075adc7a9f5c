import { type FileHandle, open } from "node:fs/promises";
import {
  EncodedPacket,
  EncodedVideoPacketSource,
  Output,
  StreamTarget,
  type StreamTargetChunk,
  WebMOutputFormat,
} from "mediabunny";
import type { EncodedFrame } from "./encoder.ts";

export interface WebmFacts {
  path: string;
  title: string;
  width: number;
  height: number;
}

/** Players read it before the first frame. Profile 0, level 3.1, 8 bits, 4:2:0, BT.709, limited range. */
const codec = "vp09.00.31.08.01.01.01.01.00";
const colorSpace = { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false } as const;
const flushBytes = 512 << 10;

/** A WebM file that grows on disk frame by frame; `finish` adds its duration and the index for seeking. */
export class WebmFile {
  readonly #output: Output;
  readonly #source: EncodedVideoPacketSource;
  readonly #size: { width: number; height: number };
  /** A frame lasts until the next one, so it is written when that arrives. */
  #held: EncodedFrame | undefined;

  private constructor(output: Output, source: EncodedVideoPacketSource, { width, height }: WebmFacts) {
    this.#output = output;
    this.#source = source;
    this.#size = { width, height };
  }

  static async create(facts: WebmFacts): Promise<WebmFile> {
    const target = new StreamTarget(await diskStream(facts.path), { chunked: true, chunkSize: flushBytes });
    const output = new Output({ format: new WebMOutputFormat(), target });
    const source = new EncodedVideoPacketSource("vp9");
    output.addVideoTrack(source);
    output.setMetadataTags({ title: facts.title });
    await output.start();
    return new WebmFile(output, source, facts);
  }

  async add(frame: EncodedFrame): Promise<void> {
    if (this.#held !== undefined) await this.#write(this.#held, frame.timeMs);
    this.#held = frame;
  }

  /** Closes the file. The last frame shows until `endMs`. */
  async finish(endMs: number): Promise<void> {
    if (this.#held !== undefined) await this.#write(this.#held, endMs);
    await this.#output.finalize();
  }

  /** Closes an unfinished file in its present state. May be called after `finish`. */
  async close(): Promise<void> {
    if (this.#output.state !== "finalized") await this.#output.cancel();
  }

  async #write({ timeMs, isKey, data }: EncodedFrame, untilMs: number): Promise<void> {
    const seconds = Math.max(untilMs - timeMs, 1) / 1000;
    const packet = new EncodedPacket(data, isKey ? "key" : "delta", timeMs / 1000, seconds);
    const { width: codedWidth, height: codedHeight } = this.#size;
    await this.#source.add(packet, { decoderConfig: { codec, codedWidth, codedHeight, colorSpace } });
  }
}

/** Fails with the error of the disk, such as ENOSPC. The library's own file target ignores short writes. */
async function diskStream(path: string): Promise<WritableStream<StreamTargetChunk>> {
  const file = await open(path, "w");
  return new WritableStream<StreamTargetChunk>({
    write: ({ data, position }) => writeAll(file, data, position),
    close: () => file.close(),
    abort: () => file.close(),
  });
}

async function writeAll(file: FileHandle, data: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < data.byteLength) {
    const { bytesWritten } = await file.write(data, done, data.byteLength - done, position + done);
    done += bytesWritten;
  }
}
