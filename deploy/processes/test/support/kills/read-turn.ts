import assert from "node:assert/strict";
import { EventFold } from "@muster/client/fold";
import { until } from "@muster/testing";
import type { StreamEvent, UiMessage, UiPart } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";

interface Seen {
  sequence: number;
  json: string;
}

/** One response of a turn, read in the background. */
export class ReadTurn {
  readonly seen: Seen[] = [];
  /** The end of the response, `[DONE]` included. */
  readonly ended: Promise<unknown>;
  #text = "";

  constructor(response: Promise<Response>) {
    this.ended = response.then((opened) => this.#read(opened));
    // Only a caller that waits for it reports a failure.
    this.ended.catch(() => undefined);
  }

  get events(): StreamEvent[] {
    return this.seen.map(({ json }) => JSON.parse(json));
  }

  /** Resolves once the response contains the text so often, or has ended. */
  async reached(text: string, times = 1): Promise<void> {
    let isOver = false;
    void this.ended.catch(() => undefined).then(() => (isOver = true));
    await until(`${text} has come`, () => isOver || this.#text.split(text).length > times, 120_000);
  }

  count(type: StreamEvent["type"]): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /**
   * Every number arrived once and in order. Some are missing only where a process died: just before what it lost is
   * retracted.
   */
  assertNumbered(): void {
    for (const [index, { sequence, json }] of this.seen.entries()) {
      const last = this.seen[index - 1]?.sequence ?? 0;
      const isAfterDeath = JSON.parse(json).type === "step-discard";
      assert.ok(isAfterDeath ? sequence > last : sequence === last + 1, `${last}, then ${sequence}: ${json}`);
    }
  }

  /** The same events with the same numbers, as far as they were ever stored. */
  assertContains(replayed: ReadTurn): void {
    const bySequence = new Map(this.seen.map(({ sequence, json }) => [sequence, json]));
    for (const { sequence, json } of replayed.seen) assert.equal(bySequence.get(sequence), json);
    assert.ok(replayed.seen.length > 0);
  }

  async #read(response: Response): Promise<void> {
    assert.equal(response.status, 200, `The response is ${response.status}`);
    let rest = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      this.#text += piece;
      const frames = (rest + piece).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) this.#take(frame);
    }
    assert.ok(this.#text.endsWith("data: [DONE]\n\n"), "The response ends without [DONE]");
    assert.ok(["finish", "error"].includes(this.events.at(-1)?.type ?? ""), "The turn has no end");
  }

  #take(frame: string): void {
    const json = /^data: (\{.*)$/m.exec(frame)?.[1];
    if (json === undefined) return;
    checkEvent(JSON.parse(json));
    const id = /^id: (\d+)$/m.exec(frame)?.[1];
    const sequence = id === undefined ? (this.seen.at(-1)?.sequence ?? 0) + 1 : Number(id);
    this.seen.push({ sequence, json });
  }
}

/** The messages that the events of all responses to a turn add up to, as far as a stored one can be compared with them. */
export function folded(...responses: readonly ReadTurn[]): unknown {
  const fold = new EventFold();
  for (const { events } of responses) for (const event of events) fold.take(event);
  return comparable(fold.messages("stored"));
}

/** Without the fields of the full format, and the time of the answer, which the stream does not contain. */
export function comparable(messages: unknown): unknown {
  assert.ok(Array.isArray(messages));
  return messages.map(({ id, role, status, parts }: UiMessage) => ({
    id,
    role,
    status,
    parts: parts.map(shown),
  }));
}

function shown({ visible: _visible, ...part }: UiPart): object {
  return part;
}
