const [lineFeed, carriageReturn, quote, comma, colon, backslash] = [10, 13, 34, 44, 58, 92];
const openings = new Set([91, 123]);

/** The SDK takes two microseconds for each, all at once on the main loop. */
const maxObjects = 40_000;
/** The check of a result takes a microsecond for each. More do not fit into 1 MiB, the limit of results. */
const maxMembers = 175_000;
const maxItems = 525_000;

/**
 * Counts the parts of JSON that arrives in pieces, alone or in an event stream. Strings of JSON contain no line breaks, so that no
 * comment of a stream hides what follows it.
 */
export class ObjectCounter {
  /** Objects and lists. */
  count = 0;
  /** Keys of objects. */
  members = 0;
  /** Commas, which follow members and items. */
  commas = 0;
  #isInString = false;
  #isEscaped = false;

  /** The excess, as the end of a sentence. */
  get problem(): string | undefined {
    if (this.count > maxObjects) return `more than ${maxObjects} objects and lists`;
    if (this.members > maxMembers) return `objects with more than ${maxMembers} members`;
    return this.commas > maxItems ? `lists with more than ${maxItems} items` : undefined;
  }

  add(chunk: Buffer): void {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === lineFeed || byte === carriageReturn) this.#isInString = this.#isEscaped = false;
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === quote) this.#isInString = !this.#isInString;
      else if (this.#isInString) this.#isEscaped = byte === backslash;
      else if (byte === comma) this.commas++;
      else if (byte === colon) this.members++;
      else if (openings.has(byte)) this.count++;
    }
  }
}
