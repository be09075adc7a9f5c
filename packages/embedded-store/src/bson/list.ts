import { decodeItems } from "./decode.ts";
import type { Value } from "./value.ts";

/** A BSON array, decoded when somebody looks inside. */
export class List {
  readonly #raw: Buffer | undefined;
  #items: readonly Value[] | undefined;

  constructor(items: readonly Value[] | Buffer) {
    if (Buffer.isBuffer(items)) this.#raw = items;
    else this.#items = items;
  }

  get raw(): Buffer | undefined {
    return this.#raw;
  }

  get items(): readonly Value[] {
    this.#items ??= this.#raw ? decodeItems(this.#raw) : [];
    return this.#items;
  }
}
