import { StoreError } from "../errors.ts";

const mib = 1024 * 1024;

/** MongoDB's limit for a stage that may not use the disk; here it is the limit of the whole command. */
export const maxCommandBytes = 100 * mib;

/** For all commands and open cursors together. */
export const maxTotalBytes = 128 * mib;

/** The approximate memory of an object without its contents. */
export const entryBytes = 100;

/** The memory of one row number in a set. */
export const rowBytes = 64;

/** The memory of all sorts and sets of documents, which lasts until their command or cursor ends. */
export class MemoryPool {
  #bytes = 0;

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The memory of one command, in use once. */
  open(): MemoryShare {
    return new MemoryShare((bytes) => {
      this.#bytes += bytes;
      return this.#bytes <= maxTotalBytes;
    });
  }
}

/** One command's memory. Its cursor keeps it in use after the command has ended. */
export class MemoryShare {
  readonly #add: (bytes: number) => boolean;
  #bytes = 0;
  #users = 1;

  constructor(add: (bytes: number) => boolean) {
    this.#add = add;
  }

  /** The bytes in use. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws QueryExceededMemoryLimitNoDiskUseAllowed if the command, or all commands together, need too much. */
  take(bytes: number, user: "Sort" | "Write" | "Query"): void {
    this.#bytes += bytes;
    const fits = this.#add(bytes);
    if (this.#bytes > maxCommandBytes) {
      const problem = `${user} exceeded memory limit of ${maxCommandBytes} bytes; filter, project or limit earlier, or add an index`;
      throw new StoreError("QueryExceededMemoryLimitNoDiskUseAllowed", problem);
    }
    if (fits) return;
    const problem = `${user} exceeded memory limit of ${maxTotalBytes} bytes for all commands together; try again when others have ended`;
    throw new StoreError("QueryExceededMemoryLimitNoDiskUseAllowed", problem);
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    this.#add(-bytes);
  }

  retain(): void {
    this.#users++;
  }

  /** Frees everything after the last use. */
  release(): void {
    this.#users--;
    if (this.#users === 0) this.give(this.#bytes);
  }
}
