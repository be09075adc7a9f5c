/** Longer texts lose their beginning, which has left the panel long before. */
const maxLength = 8000;
const keptLength = 5000;
/** The slowest that text appears, in characters per second, and the time in which most of a longer rest appears. */
const charactersPerSecond = 90;
const catchUpMs = 260;

/** A text that arrives in pieces and appears steadily, as if it were being written. */
export class StreamedText {
  #text = "";
  #shown = 0;
  #isEnded = false;
  #isInstant: boolean;

  constructor(options: { isInstant: boolean }) {
    this.#isInstant = options.isInstant;
  }

  append(piece: string): void {
    if (this.#isEnded) return;
    for (let at = 0; at < piece.length; at += maxLength) this.#append(piece.slice(at, at + maxLength));
    if (this.#isInstant) this.#shown = this.#text.length;
  }

  end(): void {
    this.#isEnded = true;
    this.#text = this.#text.trimEnd();
    this.#shown = Math.min(this.#shown, this.#text.length);
  }

  /** Returns whether more appears. */
  advance(passedMs: number): boolean {
    const rest = this.#text.length - this.#shown;
    if (rest <= 0) return false;
    const steady = (charactersPerSecond * passedMs) / 1000;
    this.#shown += Math.min(rest, Math.max(steady, rest * (1 - Math.exp(-passedMs / catchUpMs))));
    return true;
  }

  /** The text that has appeared. */
  get visible(): string {
    const end = Math.ceil(this.#shown);
    const isSplit = /[\ud800-\udbff]/.test(this.#text[end - 1] ?? "");
    return this.#text.slice(0, isSplit ? end + 1 : end).toWellFormed();
  }

  get isComplete(): boolean {
    return this.#isEnded && this.#shown >= this.#text.length;
  }

  get isEmpty(): boolean {
    return this.#text.trim() === "";
  }

  /** The first words, for a title. */
  get opening(): string {
    return this.#text.slice(0, 400);
  }

  get length(): number {
    return this.#text.length;
  }

  #append(piece: string): void {
    this.#text += piece;
    if (this.#text.length <= maxLength) return;
    const cut = this.#text.length - keptLength;
    const line = this.#text.indexOf("\n", cut);
    const from = line >= 0 && line < cut + 500 ? line + 1 : cut;
    const isInCode = (this.#text.slice(0, from).split("```").length - 1) % 2 === 1;
    const opening = isInCode ? "```\n" : "";
    this.#text = `${opening}${this.#text.slice(from)}`;
    this.#shown = Math.max(this.#shown - from + opening.length, 0);
  }
}
