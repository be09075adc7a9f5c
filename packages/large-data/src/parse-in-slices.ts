import { nextTurn, type Pause } from "./pause.ts";

/** Characters that are parsed without a break, unless a single key or number is longer. */
export const defaultSliceLength = 64 * 1024;

type Target = unknown[] | object;

/** A container that is open at the current position. */
interface Level {
  isObject: boolean;
  /** Where the part begins that has not been parsed yet. */
  from: number;
  /** Where the current member begins. */
  member: number;
  /** The container itself, once its first slice has been parsed. */
  target?: Target;
  /** A child that was parsed in slices has just ended, so only a comma or the end may follow. */
  afterChild: boolean;
}

/**
 * Like `JSON.parse`, with a pause before each slice of the text: a single call takes up to 60 ms for 10 MiB of keys.
 * Throws a SyntaxError exactly if `JSON.parse` does; the message differs.
 */
export async function parseInSlices(
  text: string,
  pause: Pause = nextTurn,
  sliceLength: number = defaultSliceLength,
): Promise<ReturnType<typeof JSON.parse>> {
  // Whatever produced or read the text before has taken its time, too.
  await pause();
  const slices = new Slices(text);
  let sliceStart = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: {
        const start = i;
        for (i = nextQuote(text, i); isEscaped(text, i, start); i = nextQuote(text, i)) {
          if (i - sliceStart < sliceLength) continue;
          sliceStart = i;
          await pause();
        }
        if (i - start <= sliceLength || i === text.length || slices.isKey(start)) break;
        slices.put(start, i, await parseString(text, start, i, pause, sliceLength));
        sliceStart = i;
        break;
      }
      case 0x7b:
      case 0x5b:
        slices.open(i);
        break;
      case 0x7d:
      case 0x5d:
        slices.close(i);
        break;
      case 0x2c:
        if (i - sliceStart < sliceLength) slices.comma(i);
        else {
          slices.cut(i);
          sliceStart = i;
          await pause();
        }
        break;
    }
  }
  return slices.finish();
}

/** Keeps track of the open containers; parses what lies before a cut into them. */
class Slices {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #root: { value: unknown; end: number } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  open(at: number): void {
    this.#expectValue(at);
    const isObject = this.#text.charCodeAt(at) === 0x7b;
    this.#levels.push({ isObject, from: at + 1, member: at + 1, afterChild: false });
  }

  comma(at: number): void {
    const level = this.#levels.at(-1);
    if (level === undefined) throw invalid();
    if (level.afterChild) this.#skipAfterChild(level, at);
    level.member = at + 1;
  }

  /** A comma, before which everything is parsed. */
  cut(at: number): void {
    const innermost = this.#levels.at(-1);
    if (innermost === undefined) throw invalid();
    this.#beginAll();
    this.#flush(innermost, at);
    this.comma(at);
    innermost.from = at + 1;
  }

  /** Whether a string that begins here is a key, of which there is no value yet. */
  isKey(at: number): boolean {
    const level = this.#levels.at(-1);
    return level?.isObject === true && isBlank(this.#text.slice(level.member, at));
  }

  /** A string that was parsed on its own, and its quotes. */
  put(start: number, end: number, value: string): void {
    this.#expectValue(start);
    const level = this.#levels.at(-1);
    if (level === undefined) {
      this.#root = { value, end: end + 1 };
      return;
    }
    this.#beginAll();
    this.#define(level, start, value);
    Object.assign(level, { from: end + 1, afterChild: true });
  }

  close(at: number): void {
    const level = this.#levels.pop();
    if (level === undefined || level.isObject !== (this.#text.charCodeAt(at) === 0x7d)) throw invalid();
    if (level.target === undefined) return;
    if (level.afterChild) this.#skipAfterChild(level, at);
    else this.#add(level, level.from, at);
    const parent = this.#levels.at(-1);
    if (parent === undefined) this.#root = { value: level.target, end: at + 1 };
    else Object.assign(parent, { from: at + 1, afterChild: true });
  }

  finish(): unknown {
    if (this.#levels.length > 0) throw invalid();
    if (this.#root === undefined) return JSON.parse(this.#text);
    if (!isBlank(this.#text.slice(this.#root.end))) throw invalid();
    return this.#root.value;
  }

  /** Parses the members of the level up to the comma at `end`. */
  #flush(level: Level, end: number): void {
    level.target ??= level.isObject ? {} : [];
    if (level.afterChild) this.#skipAfterChild(level, end);
    else this.#add(level, level.from, end);
    level.from = end + 1;
  }

  /** The root's members are parsed on their own, so what precedes it would never be seen. */
  #expectValue(at: number): void {
    if (this.#levels.at(-1)?.afterChild || this.#root !== undefined) throw invalid();
    if (this.#levels.length === 0 && !isBlank(this.#text.slice(0, at))) throw invalid();
  }

  /** Puts each open container into the one around it. */
  #beginAll(): void {
    for (const [depth, level] of this.#levels.entries()) {
      const child = this.#levels[depth + 1];
      if (child === undefined || child.target !== undefined) continue;
      child.target = child.isObject ? {} : [];
      this.#define(level, child.from - 1, child.target);
    }
  }

  /** Parses the members before the current one, and puts the value that begins at `at` into its place. */
  #define(level: Level, at: number, value: unknown): void {
    level.target ??= level.isObject ? {} : [];
    if (level.member > level.from) this.#add(level, level.from, level.member - 1);
    const before = this.#text.slice(level.member, at);
    if (Array.isArray(level.target)) {
      if (!isBlank(before)) throw invalid();
      level.target.push(value);
    } else {
      // The key in an object of its own, with null as its value.
      const [key] = Object.keys(JSON.parse(`{${before}null}`));
      if (key === undefined) throw invalid();
      define(level.target, key, value);
    }
  }

  /** Parses whole members into the level's container. There must be at least one. */
  #add({ target }: Level, from: number, to: number): void {
    const members = this.#text.slice(from, to);
    if (isBlank(members)) throw invalid();
    if (Array.isArray(target)) for (const item of JSON.parse(`[${members}]`)) target.push(item);
    else if (target !== undefined) {
      const parsed = JSON.parse(`{${members}}`);
      for (const key in parsed) define(target, key, parsed[key]);
    }
  }

  #skipAfterChild(level: Level, end: number): void {
    if (!isBlank(this.#text.slice(level.from, end))) throw invalid();
    level.afterChild = false;
    level.from = end + 1;
  }
}

/** Assigning `__proto__` would set the prototype. */
function define(target: object, key: string, value: unknown): void {
  if (key !== "__proto__") Reflect.set(target, key, value);
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The string between two quotes. A call of `JSON.parse` takes up to 90 ms for 10 MiB of escapes. */
async function parseString(text: string, start: number, end: number, pause: Pause, sliceLength: number) {
  const pieces: string[] = [];
  for (let from = start + 1; from < end; ) {
    const to = Math.min(end, wholeEscapes(text, from, from + Math.max(sliceLength, maxEscapeLength)));
    pieces.push(JSON.parse(`"${text.slice(from, to)}"`));
    from = to;
    await pause();
  }
  return pieces.join("");
}

/** The length of `\u0000`. */
const maxEscapeLength = 6;

/** `to`, or the beginning of the escape that a cut there would divide. `from`: a place between two characters. */
function wholeEscapes(text: string, from: number, to: number): number {
  for (let at = to - 1; at > to - maxEscapeLength; at--) {
    if (text.charCodeAt(at) !== 0x5c || isEscaped(text, at, from)) continue;
    const length = text.charCodeAt(at + 1) === 0x75 ? maxEscapeLength : 2;
    return at + length > to ? at : to;
  }
  return to;
}

/** The end of the text if there is none. */
function nextQuote(text: string, after: number): number {
  const next = text.indexOf('"', after + 1);
  return next === -1 ? text.length : next;
}

/** Whether the quote or backslash here belongs to an escape that begins at `from` or later. */
function isEscaped(text: string, index: number, from: number): boolean {
  if (index === text.length) return false;
  let first = index;
  while (first > from && text.charCodeAt(first - 1) === 0x5c) first--;
  return (index - first) % 2 === 1;
}

function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text);
}

function invalid(): SyntaxError {
  return new SyntaxError("The text is not valid JSON.");
}
