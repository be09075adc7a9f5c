import assert from "node:assert/strict";
import { checkEvent } from "@muster/wire/events/check";

/** An event of a stream, as parsed. */
export type StreamedEvent = Record<string, unknown>;

/**
 * The events of a whole stream in Muster's format. Fails unless the stream ends with `[DONE]` and every event matches
 * its schema in the contract.
 */
export function eventsOf(text: string): StreamedEvent[] {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  assert.equal(frames.at(-1), "data: [DONE]");
  const events = frames.slice(0, -1).map((frame) => record(JSON.parse(frame.slice("data: ".length))));
  for (const event of events) checkEvent(event);
  return events;
}

/** The text of the reply. */
export function textOf(events: readonly StreamedEvent[]): string {
  return events.map((event) => (event.type === "text-delta" ? String(event.delta) : "")).join("");
}

/** Fails unless the value is an object. */
export function record(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  return Object.fromEntries(Object.entries(value));
}

/** Reads the body of a streamed response step by step. */
export class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  constructor({ body }: Response) {
    assert.ok(body);
    this.#reader = body.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads until the text so far contains `part`, or the stream ends. Returns the text so far. */
  async readUntil(part: string): Promise<string> {
    while (!this.#text.includes(part) && (await this.#readMore()));
    return this.#text;
  }

  /** Reads to the end. Returns all events, including those that `readUntil` has read. */
  async rest(): Promise<StreamedEvent[]> {
    while (await this.#readMore());
    return eventsOf(this.#text);
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.#text += value ?? "";
    return !done;
  }
}
