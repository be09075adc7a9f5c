import type { StreamEvent } from "@muster/proto/sessions";
import { frameOf } from "./frames.ts";

// The field that ties an end to its start, by what the event is about.
const idFields: Readonly<Record<string, string>> = {
  block: "blockId",
  text: "id",
  reasoning: "id",
  "tool-input": "toolCallId",
};

/**
 * Remembers which parts of a stream are open, so that every start gets its end even when the service behind it is
 * gone. Deltas, nearly all events, cost a comparison; only starts and ends are parsed.
 */
export class OpenParts {
  readonly #open = new Map<string, { type: string; [idField: string]: string }>();

  observe(event: StreamEvent): void {
    const { type } = event;
    if (type.endsWith("-start")) this.#note(type.slice(0, -"-start".length), event.json, true);
    else if (type.endsWith("-end")) this.#note(type.slice(0, -"-end".length), event.json, false);
  }

  /** The missing ends, innermost first. */
  closingFrames(): string {
    const ends = [...this.#open.values()].reverse();
    this.#open.clear();
    return ends.map(frameOf).join("");
  }

  #note(subject: string, json: string, isStart: boolean): void {
    const idField = idFields[subject];
    if (idField === undefined) return;
    const id = readField(json, idField);
    if (id === undefined) return;
    const key = `${subject} ${id}`;
    if (isStart) this.#open.set(key, { type: `${subject}-end`, [idField]: id });
    else this.#open.delete(key);
  }
}

function readField(json: string, field: string): string | undefined {
  const event: unknown = JSON.parse(json);
  if (event === null || typeof event !== "object") return undefined;
  const value: unknown = Reflect.get(event, field);
  return typeof value === "string" ? value : undefined;
}
