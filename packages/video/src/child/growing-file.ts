import { type FileHandle, open } from "node:fs/promises";

const flushLength = 64 << 10;

/** A text file that grows piece by piece. */
export class GrowingFile {
  readonly #file: FileHandle;
  #waiting = "";
  #isOpen = true;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<GrowingFile> {
    return new GrowingFile(await open(path, "w"));
  }

  async append(text: string): Promise<void> {
    this.#waiting += text;
    if (this.#waiting.length > flushLength) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.close();
  }

  /** Leaves out what has not been written. May be called after `finish`. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#file.close();
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = "";
    await this.#file.writeFile(text);
  }
}
