/** The longest string whose repetition is noticed, in characters. */
const maxPeriod = 128;
/** How much of the end of the text is looked at. */
const windowLength = 4 * maxPeriod;
/** A look is taken every so many characters. */
const strideLength = 16;
/** From here on a repetition is not shown until it is clear whether it ends. */
const suspicious = { length: 32, repeats: 3 };
/** From here on it is taken for endless. */
const endless = { length: 512, repeats: 16 };

interface Repetition {
  period: number;
  /** How much of the end of the text it makes up. */
  length: number;
}

/**
 * Notices that a text has degenerated into a short string repeated over and over. What it holds back meanwhile is
 * not to be shown or stored: so the tail of a text that is cut was never there, live or later. Tables, rulers and
 * indentations end before they count as endless; theirs is only shown a little later.
 *
 * The work is linear in the text, about 30 steps a character, with bounded memory.
 */
export class LoopGuard {
  readonly #endlessLength: number;
  readonly #endlessRepeats: number;
  readonly #borders = new Uint16Array(windowLength + 1);
  /** The end of the text. Its own copy: looking at characters flattens a long text that grows by deltas. */
  #tail = "";
  #held = "";
  /** Characters since the last look. */
  #unseenLength = 0;
  #repetition: Repetition | undefined;
  #isLooping = false;

  /** `patience`: how many times more than of prose it takes. */
  constructor(patience = 1) {
    this.#endlessLength = endless.length * patience;
    this.#endlessRepeats = endless.repeats * patience;
  }

  /** The text is to be cut: what was taken so far and not given out is its tail. */
  get isLooping(): boolean {
    return this.#isLooping;
  }

  /** Takes what comes next; gives out what may be shown now. */
  take(delta: string): string {
    let shown = "";
    for (let start = 0; start < delta.length; start += strideLength) {
      shown += this.#takeStride(delta.slice(start, start + strideLength));
      if (this.#isLooping) break;
    }
    return this.#withoutHalfCharacter(shown);
  }

  /** The text is over: gives out what is held back, unless it is the tail that is cut. */
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
    this.#look(stride.length);
    // What was held back of a repetition that broke is shown, also when its end is the beginning of another.
    return this.release();
  }

  /** Deltas are short: looking at each of them would cost many times more. */
  #look(length: number): void {
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
   * The longest repetition that the text ends with. By the prefix function of Knuth, Morris and Pratt, read
   * backwards: the end of length n has the period n minus its longest border.
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

  /** What is shown may be all that stays, so it must not end within a surrogate pair. */
  #withoutHalfCharacter(shown: string): string {
    if (!isHighSurrogate(shown.charCodeAt(shown.length - 1))) return shown;
    this.#held = shown.slice(-1) + this.#held;
    return shown.slice(0, -1);
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
