import { decodeFields } from "./decode.ts";
import type { Value } from "./value.ts";

/**
 * A BSON document: fields in their order. It stays undecoded until somebody looks inside, and an undecoded
 * one is written as the bytes it came from, so an untouched part of a document costs nothing.
 */
export class Doc {
  #raw: Buffer | undefined;
  #fields: Map<string, Value> | undefined;

  constructor(fields?: Iterable<readonly [string, Value]>) {
    this.#fields = new Map(fields);
  }

  /** `raw` must hold exactly one well-formed document (see validate.ts). */
  static fromRaw(raw: Buffer): Doc {
    const doc = new Doc();
    doc.#raw = raw;
    doc.#fields = undefined;
    return doc;
  }

  /** The bytes it was read from, unless it was changed since. */
  get raw(): Buffer | undefined {
    return this.#raw;
  }

  get fields(): Map<string, Value> {
    this.#fields ??= decodeFields(this.#raw ?? emptyDocument);
    return this.#fields;
  }

  get size(): number {
    return this.fields.size;
  }

  get(name: string): Value | undefined {
    return this.fields.get(name);
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Replaces in place; a new field goes last. */
  set(name: string, value: Value): this {
    this.fields.set(name, value);
    this.#raw = undefined;
    return this;
  }

  delete(name: string): void {
    if (this.fields.delete(name)) this.#raw = undefined;
  }

  /** A copy whose own fields can be changed; nested documents are shared and must be copied before a change. */
  copy(): Doc {
    const copy = new Doc(this.fields);
    copy.#raw = this.#raw;
    return copy;
  }

  /** The name of the first field, which is the name of a command and decides the kind of an update. */
  firstName(): string | undefined {
    for (const name of this.fields.keys()) return name;
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<[string, Value]> {
    return this.fields.entries();
  }
}

const emptyDocument = Buffer.from([5, 0, 0, 0, 0]);
