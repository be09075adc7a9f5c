import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import type { AddedMessage, StreamEvent, UiMessage } from "../wire-types.ts";
import { EventFold, foldEvents, messagesBefore } from "./fold.ts";
import { operationKinds } from "./part-list.ts";

const start: StreamEvent = { type: "start", messageId: "msg_1", executionId: "exe_1" };
const finish: StreamEvent = { type: "finish", finishReason: "stop" };
const block = {
  type: "block-start",
  blockId: "blk_1",
  blockName: "Answer",
  blockType: "next-message",
  display: "stream",
  outputToChat: true,
} as const satisfies StreamEvent;
const now = () => "2026-01-01T00:00:00.000Z";

function text(id: string, words: string, where: object = {}): StreamEvent[] {
  return [
    { type: "text-start", id, ...where },
    { type: "text-delta", id, delta: words, ...where },
    { type: "text-end", id, ...where },
  ];
}

function partsAfter(events: StreamEvent[]) {
  return foldEvents(events, { now }).at(-1)?.parts;
}

describe("the messages of events", () => {
  test("a worker is a card with its own parts, and its result", () => {
    const where = { workerId: "run_1" };
    const events: StreamEvent[] = [
      start,
      { type: "worker-start", workerId: "run_1", workerSlug: "research", input: { TOPIC: "owls" } },
      { ...block, ...where },
      ...text("txt_1", "Hoo.", where),
      { type: "step-start", step: 2, ...where },
      ...text("txt_2", "Hoo hoo.", where),
      { type: "block-end", blockId: "blk_1", ...where },
      { type: "worker-result", workerId: "run_1", output: "owls" },
      finish,
    ];
    assert.deepEqual(partsAfter(events), [
      {
        type: "worker",
        workerId: "run_1",
        workerSlug: "research",
        input: { TOPIC: "owls" },
        parts: [
          { type: "text", text: "Hoo.", status: "done" },
          { type: "step-start" },
          { type: "text", text: "Hoo hoo.", status: "done" },
        ],
        output: "owls",
        status: "done",
      },
    ]);
  });

  test("a worker that fails has its error, and one that the turn leaves behind is cancelled", () => {
    const begun: StreamEvent[] = [start, { type: "worker-start", workerId: "run_1", workerSlug: "research" }];
    const failed = partsAfter([...begun, { type: "worker-result", workerId: "run_1", error: "No." }, finish]);
    const [card] = failed ?? [];
    assert.deepEqual(card?.type === "worker" && [card.status, card.error], ["error", "No."]);
    const [left] = partsAfter([...begun, finish]) ?? [];
    assert.equal(left?.type === "worker" && left.status, "cancelled");
  });

  test("arguments of a call and objects can be followed while the model writes them", () => {
    const events: StreamEvent[] = [
      start,
      block,
      { type: "tool-input-start", toolCallId: "c1", toolName: "find", display: "stream" },
      { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"name":"Ad' },
      { type: "text-start", id: "txt_1", responseType: "Mood" },
      { type: "text-delta", id: "txt_1", delta: '{"mood":"gl' },
    ];
    const [call, object] = partsAfter(events) ?? [];
    assert.deepEqual(call?.type === "tool-call" && call.args, { name: "Ad" });
    assert.deepEqual(object?.type === "object" && object.partial, { mood: "gl" });
    const [stored] = foldEvents(events, { now, view: "stored" }).at(-1)?.parts ?? [];
    assert.deepEqual(stored?.type === "tool-call" && stored.args, {});
  });

  test("docs/events.md names every kind of block that leaves an operation", () => {
    const page = readFileSync(new URL("../../../../docs/events.md", import.meta.url), "utf8");
    const [, kinds = ""] = /`operation` part:([^.]*) with any display but `hidden`/.exec(page) ?? [];
    for (const kind of operationKinds) assert.ok(kinds.includes(`\`${kind}\``), kind);
  });

  test("the parts that followed a hidden worker are retracted from the end of its block, or from the step within it that came first", () => {
    const begun: StreamEvent[] = [
      start,
      { ...block, blockId: "blk_2", blockType: "run-worker", display: "hidden" },
      { type: "block-end", blockId: "blk_2" },
    ];
    const after: StreamEvent[] = [
      { ...block, blockId: "blk_3", blockName: "Copy", blockType: "serialize-thread" },
      { type: "block-end", blockId: "blk_3" },
      { ...block, blockId: "blk_4" },
      { type: "step-start", step: 2 },
      ...text("txt_1", "Lost."),
    ];
    const discard: StreamEvent = { type: "step-discard", step: 2, waiting: true, blockId: "blk_2" };
    assert.deepEqual(partsAfter([...begun, ...after, discard, ...text("txt_2", "Kept.")]), [
      { type: "text", text: "Kept.", status: "done" },
    ]);
    // The model called the worker itself, so its next step is in the same block.
    const inStep: StreamEvent[] = [
      start,
      block,
      ...text("txt_1", "First."),
      { type: "step-start", step: 2 },
      ...text("txt_2", "Lost."),
      { type: "block-end", blockId: "blk_1" },
      { type: "step-discard", step: 2, waiting: true, blockId: "blk_1" },
    ];
    assert.deepEqual(partsAfter(inStep), [{ type: "text", text: "First.", status: "done" }]);
  });

  test("an outcome that was not stored is replaced by the next one of its call", () => {
    const call: StreamEvent[] = [
      start,
      block,
      { type: "tool-input-start", toolCallId: "c1", toolName: "find" },
    ];
    const output: StreamEvent = { type: "tool-output-available", toolCallId: "c1", output: 1 };
    const failure: StreamEvent = { type: "tool-output-error", toolCallId: "c1", error: "Lost." };
    const outcomeAfter = (events: StreamEvent[]) => {
      const [part] = partsAfter([...call, ...events]) ?? [];
      return part?.type === "tool-call" && [part.status, part.result, part.error];
    };
    assert.deepEqual(outcomeAfter([output, failure]), ["error", undefined, "Lost."]);
    assert.deepEqual(outcomeAfter([failure, output]), ["done", 1, undefined]);
  });

  test("a call of the turn that has ended beside a worker keeps its outcome if the worker's step is retracted", () => {
    const where = { workerId: "run_1" };
    const parts = partsAfter([
      ...[start, block, { type: "tool-input-start", toolCallId: "c1", toolName: "find" } as const],
      { type: "worker-start", ...where, workerSlug: "research" },
      { ...block, blockId: "blk_2", ...where },
      ...text("txt_1", "Lost.", where),
      { type: "tool-output-available", toolCallId: "c1", output: 1 },
      { type: "step-discard", step: 1, blockId: "blk_2", ...where },
    ]);
    const [call, card] = parts ?? [];
    assert.equal(call?.type === "tool-call" && call.result, 1);
    assert.deepEqual(card?.type === "worker" && card.parts, []);
  });

  test("files are parts, and events of unknown texts, calls and workers change nothing", () => {
    const file = { id: "file_1", mediaType: "image/png", url: "https://example.com/a.png", size: 7 };
    const events: StreamEvent[] = [
      start,
      block,
      { type: "file-available", ...file, toolCallId: "c1" },
      { type: "text-delta", id: "unknown", delta: "x" },
      { type: "text-end", id: "unknown" },
      { type: "tool-output-available", toolCallId: "unknown", output: 1 },
      { type: "worker-result", workerId: "unknown" },
      { type: "text-start", id: "txt_1", workerId: "unknown" },
      { type: "block-end", blockId: "unknown" },
      finish,
    ];
    assert.deepEqual(partsAfter(events), [{ type: "file", ...file }]);
  });

  test("a turn removes the messages after the last one that it follows, unless the client does not know that one", () => {
    const user = (id: string): UiMessage => ({
      id,
      role: "user",
      parts: [{ type: "text", text: id, status: "done" }],
      status: "done",
      createdAt: now(),
    });
    const messages = [user("a"), user("b"), user("c")];
    const idsAfter = (lastMessageId?: string) =>
      foldEvents([{ ...start, ...(lastMessageId !== undefined && { lastMessageId }) }], {
        messages,
        now,
      }).map(({ id }) => id);
    assert.deepEqual(idsAfter("b"), ["a", "b", "msg_1"]);
    assert.deepEqual(idsAfter("unknown"), ["a", "b", "c", "msg_1"]);
    assert.deepEqual(idsAfter(), ["msg_1"]);
  });

  test("the messages that a client has given are not changed, and those that it receives can be", () => {
    const messages: UiMessage[] = [
      { id: "msg_1", role: "assistant", parts: [], status: "streaming", createdAt: now() },
    ];
    const before = structuredClone(messages);
    const fold = new EventFold({ messages, now });
    for (const event of [start, block, ...text("txt_1", "Hello")]) fold.take(event);
    const [received] = fold.messages();
    assert.deepEqual(messages, before);
    received?.parts.pop();
    assert.equal(fold.messages()[0]?.parts.length, 1);
  });

  test("a reader that has read the session in the middle of a run shows the whole run after its events, however much it had", () => {
    const said: AddedMessage = {
      ...{ id: "u2", role: "user", status: "done", createdAt: now() },
      parts: [{ type: "text", text: "Find it", status: "done" }],
    };
    const earlier: UiMessage[] = [{ ...said, id: "u1" }];
    const begin: StreamEvent = { ...start, lastMessageId: "u1" };
    const first: StreamEvent[] = [
      begin,
      { ...block, blockId: "blk_0", blockType: "add-message" },
      { type: "block-end", blockId: "blk_0", message: said },
      block,
      ...text("txt_1", "Looking."),
      { type: "tool-input-start", toolCallId: "c1", toolName: "find", display: "title" },
      { type: "block-end", blockId: "blk_1", status: "running" },
      { type: "tool-request", toolCalls: [{ toolCallId: "c1", toolName: "find", args: {}, source: "llm" }] },
      { type: "finish", finishReason: "tool-calls" },
    ];
    const second: StreamEvent[] = [
      begin,
      { ...block, blockId: "blk_2" },
      { type: "step-start", step: 2 },
      ...text("txt_2", "Found."),
      { type: "block-end", blockId: "blk_2" },
      finish,
    ];
    const both = [
      { before: [], run: first },
      { before: first, run: second },
    ];
    for (const { before, run } of both) {
      const whole = foldEvents([...before, ...run], { messages: earlier, now });
      for (const [count] of [...run, finish].entries()) {
        const read = foldEvents([...before, ...run.slice(0, count)], {
          messages: earlier,
          view: "stored",
          now,
        });
        const messages = messagesBefore(read, run.slice(0, count));
        assert.deepEqual(foldEvents(run, { messages, now }), whole, `${count} of ${run.length} events`);
      }
    }
  });
});
