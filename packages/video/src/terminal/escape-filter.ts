/** Sequences that are longer than those of terminals are dropped. */
const maxSequenceLength = 128;
/** Marks on one character, such as accents; and joiners since the last space. */
const maxMarks = 6;
const maxJoiners = 12;
/** Commands that a terminal repeats as often as they say: two thousand million times, if told so. */
const loops = new Map([..."LMSTb"].map((letter) => [letter, letter === "b" ? 80 : 30]));
/** Rows that are touched by a command that clears or exchanges the screen. */
const screenWork = 30;
/** Rows that the commands of one piece may touch this way: many times what is seen of it. */
const maxWork = 4000;
const maxNumber = 255;
/** Private modes have large numbers, such as 2004. */
const maxPrivateNumber = 9999;

type State = "text" | "escape" | "control" | "string" | "string-escape";

const special = /[^\n\r\t\x20-\x7e]/g;
const mark = /^\p{M}$/u;
/** Characters that reorder or hide text. */
const invisible =
  /^[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}-\u{e007f}]$/u;

/**
 * Passes the characters that a terminal draws, and nothing that makes it work without end: numbers and runs of
 * combining characters are bounded, and titles, links, clipboard and images are dropped. Takes a stream in pieces of
 * any size.
 */
export class EscapeFilter {
  #state: State = "text";
  #sequence = "";
  #marks = 0;
  #joiners = 0;
  #work = 0;

  /** The part of the next piece that the terminal may read. */
  pass(piece: string): string {
    const text = piece.toWellFormed();
    this.#work = 0;
    let out = "";
    let at = 0;
    while (at < text.length) {
      if (this.#state === "text") {
        special.lastIndex = at;
        const next = special.exec(text)?.index ?? text.length;
        if (next > at) {
          this.#marks = 0;
          this.#joiners = 0;
          out += text.slice(at, next);
        }
        at = next;
        if (at >= text.length) break;
      }
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      at += character.length;
      out += this.#take(character);
    }
    return out;
  }

  /** Forgets an unfinished sequence. */
  reset(): void {
    this.#state = "text";
    this.#sequence = "";
  }

  #take(character: string): string {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x18 || code === 0x1a) {
      this.reset();
      return "";
    }
    if (code === 0x1b && this.#state !== "string") return this.#enter("escape");
    switch (this.#state) {
      case "text":
        return this.#text(character, code);
      case "escape":
        return this.#escape(character, code);
      case "control":
        return this.#control(character, code);
      case "string":
        return this.#string(code);
      case "string-escape":
        this.#state = "text";
        return character === "\\" ? "" : this.#after(character, code);
    }
  }

  #enter(state: State): string {
    this.#state = state;
    this.#sequence = "";
    return "";
  }

  #text(character: string, code: number): string {
    if (code < 0x20 || code === 0x7f)
      return code === 0x08 || code === 0x09 || code === 0x0a || code === 0x0d ? character : "";
    if (code >= 0x80 && code < 0xa0) return this.#eightBit(code);
    if (invisible.test(character)) return "";
    if (character === "\u200d") return ++this.#joiners > maxJoiners ? "" : character;
    if (mark.test(character)) return ++this.#marks > maxMarks ? "" : character;
    this.#marks = 0;
    return character;
  }

  #eightBit(code: number): string {
    if (code === 0x9b) return this.#enter("control");
    return isStringStart(String.fromCharCode(code - 0x40)) ? this.#enter("string") : "";
  }

  #escape(character: string, code: number): string {
    if (code < 0x20) return "";
    if (this.#sequence === "" && character === "[") return this.#enter("control");
    if (this.#sequence === "" && isStringStart(character)) return this.#enter("string");
    if (code < 0x30) {
      this.#sequence += character;
      if (this.#sequence.length > 3) this.reset();
      return "";
    }
    const sequence = this.#sequence + character;
    this.reset();
    // A full reset is costly, and a screen full of E is of no use.
    if (sequence === "c") return this.#mayWork(screenWork) ? "\x1b[!p\x1b[2J\x1b[H" : "";
    return code > 0x7e || sequence.startsWith("#") ? "" : `\x1b${sequence}`;
  }

  #after(character: string, code: number): string {
    this.#state = "escape";
    return this.#escape(character, code);
  }

  #control(character: string, code: number): string {
    if (code < 0x20 || code > 0x7e) return "";
    if (code < 0x40) {
      if (this.#sequence.length <= maxSequenceLength) this.#sequence += character;
      return "";
    }
    const parameters = this.#sequence;
    this.reset();
    if (parameters.length > maxSequenceLength) return "";
    const shown = bounded(parameters, character);
    return this.#mayWork(workOf(shown, character)) ? `\x1b[${shown}${character}` : "";
  }

  #mayWork(work: number): boolean {
    this.#work += work;
    return work === 0 || this.#work <= maxWork;
  }

  #string(code: number): string {
    if (code === 0x07 || code === 0x9c) this.#state = "text";
    if (code === 0x1b) this.#state = "string-escape";
    return "";
  }
}

/** Titles, links and colours (`]`), device strings (`P`), and strings that nothing uses. */
function isStringStart(character: string): boolean {
  return character.length === 1 && "]PX^_".includes(character);
}

function bounded(parameters: string, final: string): string {
  const isPrivate = /^[<-?]/.test(parameters);
  const max = isPrivate ? maxPrivateNumber : (loops.get(final) ?? maxNumber);
  return parameters.replace(/\d+/g, (digits) => String(Math.min(Number(digits), max)));
}

function workOf(parameters: string, final: string): number {
  if (loops.has(final)) return Number.parseInt(parameters, 10) || 1;
  if (final === "J") return screenWork;
  return (final === "h" || final === "l") && /\b(?:47|1047|1049)\b/.test(parameters) ? screenWork : 0;
}
