import assert from "node:assert/strict";
import { test } from "vitest";
import { Completion } from "./chat-completions/completion.ts";
import { ResponseWriter } from "./responses/response-writer.ts";

function numbered(list: readonly ({ type: string } & Record<string, unknown>)[]) {
  return list.map((event, index) => ({
    sequence: index + 1,
    type: event.type,
    json: JSON.stringify(event),
  }));
}

/** A step that writes "Lost" and is retracted, then repeated; and a block of which nothing remains. */
const events = numbered([
  { type: "start", messageId: "msg_1", executionId: "exe_1" },
  { type: "block-start", blockId: "blk_1", blockType: "next-message" },
  { type: "text-start", id: "txt_1" },
  { type: "text-delta", id: "txt_1", delta: "Kept. " },
  { type: "text-end", id: "txt_1" },
  { type: "step-start", step: 2 },
  { type: "text-start", id: "txt_2" },
  { type: "text-delta", id: "txt_2", delta: "Lost" },
  { type: "step-discard", step: 2 },
  { type: "text-start", id: "txt_3" },
  { type: "text-delta", id: "txt_3", delta: "Again." },
  { type: "text-end", id: "txt_3" },
  { type: "block-end", blockId: "blk_1" },
  { type: "block-start", blockId: "blk_2", independent: true },
  { type: "text-start", id: "txt_4" },
  { type: "text-delta", id: "txt_4", delta: "Aside" },
  { type: "text-start", id: "txt_5", workerId: "wrk_1" },
  { type: "text-delta", id: "txt_5", delta: "Inner" },
  { type: "block-end", blockId: "blk_2" },
  { type: "finish", finishReason: "stop" },
]);

const options = { model: "muster/a", sessionId: "ses_1" };
const place = { ...options, executionId: "", messageId: "", part: "0", background: false };

test("the output of a turn lacks retracted steps, workers, and blocks of which nothing remains", () => {
  const output = new Completion({ ...options, includesUsage: false });
  output.frames(events);
  assert.equal(output.textOf("text"), "Kept. Again.");
});

test("a streamed completion ends with an error once a part that was sent is retracted, and a whole one lacks it", () => {
  const text = new Completion({ ...options, includesUsage: false }).frames(events);
  assert.match(text, /Lost[^\n]*\n\ndata: \{"error":\{"message":"The turn was interrupted[^\n]*\n\n$/);
  const whole = new Completion({ ...options, includesUsage: false });
  whole.frames(events);
  assert.match(JSON.stringify(whole.document()), /"content":"Kept\. Again\."/);
});

test("a response ends with all items but those that were retracted, and its events have the same numbers from any one on", () => {
  const writer = new ResponseWriter(place);
  const frames = (writer.frames(events) + writer.done).split(/(?<=\n\n)/);
  assert.match(frames.at(-1) ?? "", /^event: response\.completed\n/);
  assert.ok(!frames.at(-1)?.includes("Lost"));
  for (const after of [0, 7, frames.length - 2]) {
    const late = new ResponseWriter(place, after);
    const half = events.length / 2;
    const rest = late.frames(events.slice(0, half)) + late.frames(events.slice(half)) + late.done;
    assert.equal(rest, frames.slice(after + 1).join(""));
  }
});

test("a response has the messages that handlers add, and says which items are complete", () => {
  const message = { id: "msg_2", role: "assistant", status: "done" };
  const parts = [{ type: "text", text: "Welcome.", status: "done" }];
  const begun = numbered([
    { type: "start", messageId: "msg_1", executionId: "exe_1" },
    { type: "block-start", blockId: "blk_1", blockType: "add-message" },
    { type: "block-end", blockId: "blk_1", message: { ...message, parts } },
    { type: "block-end", blockId: "blk_1", message: { ...message, role: "user", parts } },
    { type: "text-start", id: "txt_1" },
    { type: "text-delta", id: "txt_1", delta: " How" },
  ]);
  assert.match(new Completion({ ...options, includesUsage: false }).frames(begun), /"content":"Welcome\."/);
  const writer = new ResponseWriter(place);
  const frames = writer.frames(begun);
  assert.match(frames, /output_text\.delta[^\n]*"delta":"Welcome\."/);
  assert.match(frames, /output_item\.done[^\n]*Welcome/);
  const statuses = () => {
    const { output = [] } = writer.document() ?? {};
    return output.map((item) => "status" in item && item.status);
  };
  assert.deepEqual(statuses(), ["completed", "in_progress"]);
  const cut = [
    { type: "text-end", id: "txt_1" },
    { type: "block-end", blockId: "blk_2", status: "cancelled" },
    { type: "finish", finishReason: "other" },
  ];
  writer.frames(numbered(cut));
  assert.deepEqual(statuses(), ["completed", "incomplete"]);
});
