import { PassThrough } from "node:stream";
import { FileError } from "./file-error.ts";
import type { Folder } from "./folder.ts";

export interface FileReply {
  bytes?: Uint8Array;
  entries?: Awaited<ReturnType<Folder["list"]>>;
  error?: string;
  /** With an error: the path does not exist. */
  isMissing?: boolean;
  done?: true;
}

const pieceBytes = 256 * 1024;
const maxEntries = 20_000;
const entriesPerPiece = 1_000;
/** A file of a message is far smaller. */
const maxFileBytes = 1024 * 1024 * 1024;
const maxOpen = 16;
/** A platform that has given a file up sends nothing more of it. */
const maxIdleMs = 120_000;

/** The files that the platform reads, writes and lists over one connection. */
export class FileRequests {
  readonly #folder: Folder;
  readonly #reply: (id: bigint, reply: FileReply) => Promise<void>;
  readonly #writing = new Map<bigint, { pieces: PassThrough; idle: NodeJS.Timeout }>();
  readonly #maxIdleMs: number;
  #open = 0;
  #isClosed = false;

  constructor(folder: Folder, reply: (id: bigint, reply: FileReply) => Promise<void>, idleMs = maxIdleMs) {
    this.#folder = folder;
    this.#reply = reply;
    this.#maxIdleMs = idleMs;
  }

  read(id: bigint, path: string): Promise<void> {
    return this.#run(id, async () => {
      const handle = await this.#folder.openFile(this.#folder.absolute(path));
      try {
        const { size } = await handle.stat();
        if (size > maxFileBytes)
          throw new FileError(`${path} has more than ${maxFileBytes / 1024 ** 3} GiB.`);
        for (let at = 0; !this.#isClosed; ) {
          const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
          if (bytesRead === 0) break;
          at += bytesRead;
          await this.#reply(id, { bytes: buffer.subarray(0, bytesRead) });
        }
      } finally {
        await handle.close();
      }
    });
  }

  list(id: bigint, path: string): Promise<void> {
    return this.#run(id, async () => {
      const entries = await this.#folder.list(this.#folder.absolute(path), false, maxEntries + 1);
      if (entries.length > maxEntries) throw new FileError(`${path} has more than ${maxEntries} entries.`);
      for (let at = 0; at < entries.length && !this.#isClosed; at += entriesPerPiece)
        await this.#reply(id, { entries: entries.slice(at, at + entriesPerPiece) });
    });
  }

  /** The content follows in {@link content}. */
  async write(id: bigint, path: string): Promise<void> {
    if (this.#writing.has(id)) return;
    await this.#run(id, async () => {
      const pieces = new PassThrough({ highWaterMark: pieceBytes });
      // Pieces that arrive after a failure have no reader.
      pieces.on("error", () => {});
      const giveUp = () => pieces.destroy(new FileError("The rest of the file has not arrived."));
      const idle = setTimeout(giveUp, this.#maxIdleMs);
      this.#writing.set(id, { pieces, idle });
      try {
        await this.#folder.replace(this.#folder.absolute(path), atMost(maxFileBytes, pieces));
      } finally {
        clearTimeout(idle);
        this.#writing.delete(id);
        pieces.destroy();
      }
    });
  }

  /** Resolves when there is room for the next piece. One of an unknown file is skipped. */
  async content(id: bigint, piece: Uint8Array, isLast: boolean): Promise<void> {
    const { pieces, idle } = this.#writing.get(id) ?? {};
    if (pieces === undefined) return;
    idle?.refresh();
    await new Promise<void>((resolve) => pieces.write(piece, () => resolve()));
    if (isLast) pieces.end();
  }

  /** The connection has ended: files that are not complete are dropped. */
  close(): void {
    this.#isClosed = true;
    for (const { pieces } of this.#writing.values()) pieces.destroy(new Error("the connection has ended"));
  }

  refuse(id: bigint, error: string, isMissing = false): Promise<void> {
    return this.#answer(id, { error, isMissing });
  }

  /** Resolves when the work has begun, or was refused. */
  async #run(id: bigint, work: () => Promise<void>): Promise<void> {
    if (this.#open >= maxOpen) return await this.refuse(id, `${maxOpen} files are open already.`);
    this.#open++;
    work()
      .then(
        () => this.#answer(id, { done: true }),
        (error: Error) => this.refuse(id, error.message, error instanceof FileError && error.isMissing),
      )
      .finally(() => {
        this.#open--;
      });
  }

  async #answer(id: bigint, reply: FileReply): Promise<void> {
    // The connection may have ended.
    if (!this.#isClosed) await this.#reply(id, reply).catch(() => {});
  }
}

async function* atMost(maxBytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new FileError(`The file has more than ${maxBytes / 1024 ** 3} GiB.`);
    yield piece;
  }
}
