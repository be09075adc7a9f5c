import assert from "node:assert/strict";
import { foldEvents } from "@muster/client/fold";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";
import fc from "fast-check";
import { test } from "vitest";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { OpenParts, streamErrorOf } from "./frames.ts";

const now = () => "2026-01-01T00:00:00.000Z";

type Part = "text" | "object" | "reasoning" | "call" | "worker";

/** The events of a part, by the number of the part, in their order. */
const eventsOf: Readonly<Record<Part, (id: string, words: string) => StreamEvent[]>> = {
  text: (id, words) => [
    { type: "text-start", id },
    { type: "text-delta", id, delta: words },
    { type: "text-delta", id, delta: words },
    { type: "text-end", id },
  ],
  object: (id, words) => [
    { type: "text-start", id, responseType: "answer" },
    { type: "text-delta", id, delta: '{"a":' },
    { type: "text-delta", id, delta: `${JSON.stringify(words)}}` },
    { type: "text-end", id },
  ],
  reasoning: (id, words) => [
    { type: "reasoning-start", id },
    { type: "reasoning-delta", id, delta: words },
    { type: "reasoning-end", id },
  ],
  call: (toolCallId, words) => [
    { type: "tool-input-start", toolCallId, toolName: "find" },
    { type: "tool-input-delta", toolCallId, inputTextDelta: '{"a":1}' },
    { type: "tool-input-end", toolCallId },
    { type: "tool-input-available", toolCallId, toolName: "find", input: { a: 1 } },
    { type: "tool-output-available", toolCallId, output: words },
  ],
  worker: (workerId, words) => [
    { type: "worker-start", workerId, workerSlug: "helper" },
    { type: "text-start", id: `${workerId}_text`, workerId },
    { type: "text-delta", id: `${workerId}_text`, delta: words, workerId },
    { type: "text-end", id: `${workerId}_text`, workerId },
    { type: "worker-result", workerId, output: words },
  ],
};

interface Drawn {
  kind: Part;
  words: string;
  /** The part begins before the previous one has ended. */
  overlaps: boolean;
}

const part: fc.Arbitrary<Drawn> = fc.record({
  kind: fc.constantFrom<Part>("text", "object", "reasoning", "call", "worker"),
  words: fc.string({ maxLength: 4 }),
  overlaps: fc.boolean(),
});

/** The events of a turn; parts may overlap. */
const turn = fc.record({ parts: fc.array(part, { maxLength: 5 }), ending: fc.boolean() }).map(turnOf);

function turnOf({ parts, ending }: { parts: Drawn[]; ending: boolean }): StreamEvent[] {
  const inside: StreamEvent[] = [];
  for (const [index, { kind, words, overlaps }] of parts.entries()) {
    const [first, ...rest] = eventsOf[kind](`p${index}`, words);
    const at = overlaps ? Math.max(0, inside.length - 1) : inside.length;
    if (first !== undefined) inside.splice(at, 0, first);
    inside.push(...rest);
  }
  const block = {
    type: "block-start",
    blockId: "b",
    blockName: "Answer",
    blockType: "next-message",
  } as const;
  return [
    { type: "start", messageId: "msg_1", executionId: "exe_1" },
    { ...block, display: "stream", outputToChat: true },
    ...inside,
    { type: "block-end", blockId: "b" },
    ending
      ? { type: "finish", finishReason: "stop", executionId: "exe_1" }
      : { type: "error", errorType: "provider_error", source: "provider", message: "No.", retryable: false },
  ];
}

/** The events of a client whose response ends after each of these events, and is then continued. */
function withCuts(events: readonly StreamEvent[], isCutAfter: (index: number) => boolean): StreamEvent[] {
  let open = new OpenParts();
  return events.flatMap((event, index) => {
    const sequence = index + 1;
    const { type } = event;
    open.observe({
      sequence,
      type,
      json: JSON.stringify(event),
    });
    if (!isCutAfter(index)) return [event];
    const ends = open.ends().map((end): StreamEvent => JSON.parse(JSON.stringify(end)));
    const error = streamErrorOf(new HttpProblem("UNAVAILABLE", "The server is stopping."), sequence);
    // Another response, and perhaps another gateway.
    open = new OpenParts();
    return [event, ...ends, { ...error }];
  });
}

test("a client that folds all it receives shows the same turn wherever its responses ended and were continued", () => {
  const property = fc.property(turn, fc.array(fc.boolean(), { maxLength: 30 }), (events, cuts) => {
    const whole = foldEvents(events, { now });
    const last = events.length - 1;
    const cutAnd = (isCutAfter: (index: number) => boolean) => {
      const received = withCuts(events, (index) => index < last && isCutAfter(index));
      for (const event of received) checkEvent(event);
      assert.deepEqual(foldEvents(received, { now }), whole);
    };
    for (let position = 0; position < last; position += 1) cutAnd((index) => index === position);
    cutAnd((index) => cuts[index] ?? false);
    cutAnd(() => true);
  });
  fc.assert(property, { numRuns: 200 });
});
