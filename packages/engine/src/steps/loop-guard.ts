/** The longest string whose repetition is detected, in characters. */
const maxPeriod = 128;
/** How much of the end of the text is examined. */
const windowLength = 4 * maxPeriod;
/** The text is examined once per this many characters. */
const strideLength = 16;
/** From this size, a repetition is not shown until it is clear whether it ends. */
const suspicious = { length: 32, repeats: 3 };
/** From this size, it is considered endless. */
const endless = { length: 512, repeats: 16 };

interface Repetition {
  period: number;
  /** The length of its share at the end of the text. */
  length: number;
}

/**
 * Detects a text that has degenerated into a short string repeated over and over. The text that it withholds meanwhile
 * must be neither shown nor stored, so that the tail of a cut text never appears, live or later. Tables, rulers and
 * indentations end before they count as endless; they are only shown a little later.
 *
 * The work is linear in the text, about 30 steps a character, with bounded memory.
 */
export class LoopGuard {
  readonly #endlessLength: number;
  readonly #endlessRepeats: number;
  readonly #borders = new Uint16Array(windowLength + 1);
  /** The end of the text, as a copy: reading characters would flatten a long text that grows by deltas. */
  #tail = "";
  #held = "";
  /** Characters since the last check. */
  #unseenLength = 0;
  #repetition: Repetition | undefined;
  #isLooping = false;

  /** `patience`: a factor for both thresholds; 1 for prose. */
  constructor(patience = 1) {
    this.#endlessLength = endless.length * patience;
    this.#endlessRepeats = endless.repeats * patience;
  }

  /** True if the text must be cut: its tail is everything taken and not returned so far. */
  get isLooping(): boolean {
    return this.#isLooping;
  }

  /** Takes the next delta; returns the text that may be shown now. */
  take(delta: string): string {
    let shown = "";
    for (let start = 0; start < delta.length; start += strideLength) {
      shown += this.#takeStride(delta.slice(start, start + strideLength));
      if (this.#isLooping) break;
    }
    return this.#withoutHalfCharacter(shown);
  }

  /** Call at the end of the text. Returns the withheld text, unless it is the tail to cut. */
  release(): string {
    const rest = this.#isLooping ? "" : this.#held;
    this.#held = "";
    return rest;
  }

  #takeStride(stride: string): string {
    const text = this.#tail + stride;
    if (this.#repetition !== undefined) this.#follow(this.#repetition, text, this.#tail.length);
    this.#tail = text.length > 2 * windowLength ? text.slice(-windowLength) : text;
    this.#held += stride;
    if (this.#repetition !== undefined) {
      this.#isLooping = this.#isEndless(this.#repetition);
      return "";
    }
    this.#check(stride.length);
    // The text withheld for a repetition that ended is shown, even if its end is the beginning of another one.
    return this.release();
  }

  /** Deltas are short: checking after each of them would cost many times more. */
  #check(length: number): void {
    this.#unseenLength += length;
    if (this.#unseenLength < strideLength) return;
    this.#unseenLength = 0;
    this.#repetition = this.#find();
  }

  #follow(repetition: Repetition, text: string, from: number): void {
    for (let i = from; i < text.length; i++) {
      if (text.charCodeAt(i) !== text.charCodeAt(i - repetition.period)) {
        this.#repetition = undefined;
        this.#unseenLength = strideLength;
        return;
      }
      repetition.length += 1;
    }
  }

  #isEndless({ period, length }: Repetition): boolean {
    return length >= Math.max(this.#endlessLength, this.#endlessRepeats * period);
  }

  /**
   * The longest repetition at the end of the text, by the prefix function of Knuth, Morris and Pratt read backwards:
   * the end of length n has the period n minus its longest border.
   */
  #find(): Repetition | undefined {
    const [text, borders] = [this.#tail, this.#borders];
    const last = text.length - 1;
    let [found, border]: [Repetition | undefined, number] = [undefined, 0];
    for (let n = 2; n <= Math.min(text.length, windowLength); n++) {
      const code = text.charCodeAt(last - (n - 1));
      while (border > 0 && code !== text.charCodeAt(last - border)) border = borders[border] ?? 0;
      if (code === text.charCodeAt(last - border)) border += 1;
      borders[n] = border;
      const period = n - border;
      if (period <= maxPeriod && n >= Math.max(suspicious.length, suspicious.repeats * period)) {
        found = { period, length: n };
      }
    }
    return found;
  }

  /** The shown text may be all that is kept, so it must not end within a surrogate pair. */
  #withoutHalfCharacter(shown: string): string {
    if (!isHighSurrogate(shown.charCodeAt(shown.length - 1))) return shown;
    this.#held = shown.slice(-1) + this.#held;
    return shown.slice(0, -1);
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
