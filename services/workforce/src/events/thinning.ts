import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "@muster/language";
import type { EventLine } from "@muster/store/event-log";

/** Characters of each text and output that one document keeps. */
const sampleLength = 1_000;
/** Characters of a string in any other event. */
const maxStringLength = 1_000;
/** An event that is not longer stays unchanged. */
const shortLength = 4_000;
/** An event that is longer even with its strings cut keeps only its own short fields. */
const maxLength = 20_000;

const note = " […] ";

/** Events that carry pieces of a text, with the fields that contain the piece and the text's id. */
const pieces = new Map<string, { piece: string; ids: readonly string[] }>([
  ["text-delta", { piece: "delta", ids: ["id"] }],
  ["reasoning-delta", { piece: "delta", ids: ["id"] }],
  ["tool-input-delta", { piece: "inputTextDelta", ids: ["toolCallId"] }],
  ["computer-output", { piece: "text", ids: ["toolCallId", "stream"] }],
]);

/**
 * Shortens the timeline of a run that has written too much. Of each text and each output, the first characters of every
 * document remain, followed by a mark; all other events stay, with their long strings cut.
 */
export class Thinning {
  /** Characters that remain for each text. Below zero: the mark is set. */
  readonly #room = new Map<string, number>();

  /** Undefined: the event is left out. */
  kept(line: EventLine): EventLine | undefined {
    const shape = pieces.get(line.type);
    if (shape === undefined) return line.json.length <= shortLength ? line : cutStrings(line);
    const parsed = parseJsonObject(line.json);
    if (!parsed.ok) return undefined;
    const event = parsed.value;
    const text = event[shape.piece];
    if (typeof text !== "string") return undefined;
    const key = [line.type, ...shape.ids.map((name) => String(event[name]))].join(" ");
    const room = this.#room.get(key) ?? sampleLength;
    if (room < 0) return undefined;
    this.#room.set(key, text.length <= room ? room - text.length : -1);
    return text.length <= room ? line : withText(line, event, shape.piece, text.slice(0, room) + note);
  }
}

function withText(line: EventLine, event: JsonObject, piece: string, text: string): EventLine {
  return { type: line.type, json: JSON.stringify({ ...event, [piece]: text.toWellFormed() }) };
}

function cutStrings({ type, json }: EventLine): EventLine | undefined {
  const parsed = parseJsonObject(json);
  if (!parsed.ok) return undefined;
  const shortened = JSON.stringify(cut(parsed.value));
  if (shortened.length <= maxLength) return { type, json: shortened };
  const own = Object.entries(parsed.value).filter(([, value]) => !isLong(value));
  return { type, json: JSON.stringify(Object.fromEntries(own)) };
}

function isLong(value: JsonValue): boolean {
  return typeof value === "object" ? value !== null : typeof value === "string" && value.length > 200;
}

function cut(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    if (value.length <= maxStringLength) return value;
    return value.slice(0, maxStringLength).toWellFormed() + note;
  }
  if (Array.isArray(value)) return value.map(cut);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part)]));
}
