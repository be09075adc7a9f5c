/** Characters that wait for the terminal at most, about 40 screens of the densest text. More were never seen in one frame. */
const maxLength = 256 * 1024;
const keptHead = 64 * 1024;
const keptTail = 128 * 1024;

/** The output of commands since the last frame, bounded: of a flood, the beginning and the end are kept. */
export class OutputBuffer {
  #pieces: string[] = [];
  #length = 0;
  #head = "";
  #skipped = 0;

  get isEmpty(): boolean {
    return this.#length === 0 && this.#head === "";
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at += maxLength) this.#push(text.slice(at, at + maxLength));
  }

  /** Takes the waiting text: one that belongs together, or two with the text between them left out. */
  take(): { head: string; skipped: number; tail: string } {
    const taken = { head: this.#head, skipped: this.#skipped, tail: this.#pieces.join("") };
    this.#pieces = [];
    this.#length = 0;
    this.#head = "";
    this.#skipped = 0;
    return taken;
  }

  #push(piece: string): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= maxLength) return;
    const all = this.#pieces.join("");
    if (this.#head === "") this.#head = all.slice(0, keptHead);
    const rest = this.#skipped === 0 ? all.slice(keptHead) : all;
    this.#skipped += rest.length - keptTail;
    this.#pieces = [rest.slice(-keptTail)];
    this.#length = keptTail;
  }
}
