/**
 * The messages between a sandbox's process and its parent: frames of a length (4 bytes, of type and payload), a type (1
 * byte) and a payload. Contents are sent in chunks.
 */
export const frameTypes = {
  // From the parent.
  job: 1,
  manifest: 2,
  start: 3,
  chunk: 4,
  end: 5,
  refused: 6,
  // From the process.
  output: 20,
  need: 21,
  fetch: 22,
  exit: 23,
  fileChunk: 24,
  fileEnd: 25,
  newManifest: 26,
  finished: 27,
  failed: 28,
  /** The command begins: loading the shell does not count towards its time. */
  started: 29,
} as const;

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes];

export const chunkBytes = 256 * 1024;

export const headerBytes = 5;

/** Larger frames end the process that sends them. */
export const maxFrameBytes = 1024 * 1024;

export function frameHeader(type: FrameType, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  header.writeUInt32BE(payloadBytes + 1);
  header.writeUInt8(type, 4);
  return header;
}

/** Cuts a content into payloads; an empty one has none. */
export function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes)
    yield bytes.subarray(start, start + chunkBytes);
}
