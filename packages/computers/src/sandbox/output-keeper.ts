import type { OutputChunk } from "../computer.ts";

/**
 * Keeps the beginning and the end of a command's output. The beginning is shown as it arrives, the end when it is known
 * to be the end, with a note about what was cut in between.
 */
export class OutputKeeper {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #show: (chunk: Omit<OutputChunk, "atMs">) => void;
  #head: Piece[] = [];
  #headUsed = 0;
  #tail: Piece[] = [];
  #tailUsed = 0;
  #cutBytes = 0;

  constructor(maxBytes: number, show: (chunk: Omit<OutputChunk, "atMs">) => void) {
    this.#headBytes = Math.floor(maxBytes / 2);
    this.#tailBytes = maxBytes - this.#headBytes;
    this.#show = show;
  }

  add(stream: OutputChunk["stream"], text: string): void {
    if (text === "") return;
    let rest = text;
    const room = this.#headBytes - this.#headUsed;
    if (room > 0 && this.#tailUsed === 0 && this.#cutBytes === 0) {
      const first = cutToBytes(text, room);
      rest = text.slice(first.length);
      if (first !== "") {
        this.#head.push({ stream, text: first });
        this.#headUsed += Buffer.byteLength(first);
        this.#show({ stream, text: first });
      }
    }
    if (rest !== "") this.#addToTail(stream, rest);
  }

  #addToTail(stream: OutputChunk["stream"], text: string): void {
    this.#tail.push({ stream, text });
    this.#tailUsed += Buffer.byteLength(text);
    // A whole piece goes once the rest is enough; the last cut is made in `end`.
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const bytes = Buffer.byteLength(first.text);
      if (this.#tailUsed - bytes < this.#tailBytes) break;
      this.#tail.shift();
      this.#tailUsed -= bytes;
      this.#cutBytes += bytes;
    }
  }

  /** Shows the end. */
  end(): void {
    const first = this.#tail[0];
    if (first !== undefined && this.#tailUsed > this.#tailBytes) {
      const bytes = Buffer.byteLength(first.text);
      const kept = lastBytes(first.text, bytes - (this.#tailUsed - this.#tailBytes));
      const cut = bytes - Buffer.byteLength(kept);
      first.text = kept;
      this.#tailUsed -= cut;
      this.#cutBytes += cut;
    }
    if (this.#cutBytes > 0) {
      const text = `\n[${this.#cutBytes} bytes of output are not shown]\n`;
      this.#tail.unshift({ stream: first?.stream ?? "stdout", text });
    }
    for (const piece of this.#tail) if (piece.text !== "") this.#show(piece);
  }

  /** The part of one stream that is kept. Call it after {@link end}. */
  text(stream: OutputChunk["stream"]): string {
    return [...this.#head, ...this.#tail]
      .filter((piece) => piece.stream === stream)
      .map((piece) => piece.text)
      .join("");
  }
}

interface Piece {
  stream: OutputChunk["stream"];
  text: string;
}

/** The longest beginning that fits, without half a character. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = maxBytes;
  while (end > 0 && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** The longest end that fits, without half a character. */
export function lastBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let start = bytes.length - Math.max(0, maxBytes);
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
