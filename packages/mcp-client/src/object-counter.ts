const [lineFeed, carriageReturn, quote, backslash] = [10, 13, 34, 92];
const openings = new Set([91, 123]);

/**
 * Counts the objects and lists of JSON that arrives in pieces, alone or in an event stream. Strings of JSON contain no line breaks, so
 * that no comment of a stream hides what follows it.
 */
export class ObjectCounter {
  count = 0;
  #isInString = false;
  #isEscaped = false;

  add(chunk: Buffer): void {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index] ?? 0;
      if (byte === lineFeed || byte === carriageReturn) this.#isInString = this.#isEscaped = false;
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === quote) this.#isInString = !this.#isInString;
      else if (this.#isInString) this.#isEscaped = byte === backslash;
      else if (openings.has(byte)) this.count++;
    }
  }
}
