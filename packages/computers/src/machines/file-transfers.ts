import type { FileResponse } from "@muster/proto/computer-frames";
import type { FileEntry } from "../computer.ts";
import { ComputerFileError, ComputerUnreachableError } from "../errors.ts";
import { encodeFrame, maxPieceBytes, type ToComputer } from "./frames.ts";
import type { Outgoing } from "./outgoing.ts";

type Action = Extract<ToComputer, { case: "file" }>["value"]["action"];

/** Whose files, and with which right. */
export interface FileHolder {
  agentId: string;
  epoch: number;
}

interface Transfer {
  bytes: Uint8Array[];
  length: number;
  entries: FileEntry[];
  done: PromiseWithResolvers<void>;
}

const maxReadBytes = 64 * 1024 * 1024;
const maxEntries = 20_000;
const maxSentence = 1_000;

/** The files that are read, written and listed over one connection. They end with it. */
export class FileTransfers {
  readonly #outgoing: Outgoing;
  readonly #transfers = new Map<bigint, Transfer>();
  #lastId = 0n;

  constructor(outgoing: Outgoing) {
    this.#outgoing = outgoing;
  }

  async read(holder: FileHolder, path: string, signal: AbortSignal): Promise<Uint8Array> {
    return Buffer.concat((await this.#run(holder, { case: "read", value: path }, signal)).bytes);
  }

  async list(holder: FileHolder, path: string, signal: AbortSignal): Promise<FileEntry[]> {
    return (await this.#run(holder, { case: "list", value: path }, signal)).entries;
  }

  async write(
    holder: FileHolder,
    path: string,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#run(holder, { case: "write", value: path }, signal, async (id, isOver) => {
      const send = (bytes: Uint8Array, isLast: boolean) =>
        this.#outgoing.send(encodeFrame({ case: "content", value: { id, bytes, isLast } }));
      for await (const chunk of content) {
        for (let at = 0; at < chunk.length; at += maxPieceBytes) {
          await this.#outgoing.room();
          if (isOver()) return;
          send(chunk.subarray(at, at + maxPieceBytes), false);
        }
      }
      send(new Uint8Array(0), true);
    });
  }

  /** Ignores responses to unknown requests. */
  receive({ id, response, isMissing }: FileResponse): void {
    const transfer = this.#transfers.get(id);
    if (transfer === undefined) return;
    const { done, bytes, entries } = transfer;
    if (response.case === "done") done.resolve();
    else if (response.case === "error")
      done.reject(new ComputerFileError(response.value.slice(0, maxSentence).toWellFormed(), { isMissing }));
    else if (response.case === "bytes") {
      if (response.value.length === 0) return;
      bytes.push(response.value);
      transfer.length += response.value.length;
      if (transfer.length > maxReadBytes) this.#refuse(id, transfer, "The file has more than 64 MiB.");
    } else if (response.case === "entries") {
      for (const { path, type, size, mode, mtimeMs } of response.value.entries)
        entries.push({ path, type: typeOf(type), size: Number(size), mode, mtimeMs: Number(mtimeMs) });
      if (entries.length > maxEntries) this.#refuse(id, transfer, "The directory has too many entries.");
    }
  }

  close(): void {
    for (const { done } of this.#transfers.values())
      done.reject(new ComputerUnreachableError("The connection to the computer was lost."));
  }

  async #run(
    { agentId, epoch }: FileHolder,
    action: NonNullable<Action>,
    signal: AbortSignal,
    send?: (id: bigint, isOver: () => boolean) => Promise<void>,
  ): Promise<Transfer> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const done = Promise.withResolvers<void>();
    const transfer: Transfer = { bytes: [], length: 0, entries: [], done };
    this.#transfers.set(id, transfer);
    const abort = () => done.reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      this.#outgoing.send(
        encodeFrame({ case: "file", value: { id, agentId, epoch: BigInt(epoch), action } }),
      );
      if (this.#outgoing.isEnded) this.close();
      send?.(id, () => !this.#transfers.has(id)).catch(done.reject);
      await done.promise;
      return transfer;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#transfers.delete(id);
    }
  }

  #refuse(id: bigint, { done }: Transfer, sentence: string): void {
    this.#transfers.delete(id);
    done.reject(new ComputerFileError(sentence));
  }
}

function typeOf(type: string): FileEntry["type"] {
  return type === "directory" || type === "symlink" ? type : "file";
}
