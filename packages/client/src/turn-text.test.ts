import assert from "node:assert/strict";
import { test } from "vitest";
import { TurnText } from "./turn-text.ts";

const block = (blockId: string, more: object = {}) => ({ type: "block-start", blockId, ...more });
const end = (blockId: string) => ({ type: "block-end", blockId });
const say = (delta: string) => ({ type: "text-delta", delta });
const step = (number: number) => ({ type: "step-start", step: number });
const discard = (fields: object) => ({ type: "step-discard", ...fields });

/** `worker`: of all events in between, by the marks `[w` and `w]`. */
function textOf(...events: Array<object | string>): string {
  const text = new TurnText();
  let worker = "";
  for (const event of events)
    if (typeof event !== "string") text.take(event, worker);
    else worker = event.startsWith("[") ? event.slice(1) : "";
  return text.text;
}

test("a retracted step takes its text with it, back to its own start, that of its block, or the latest", () => {
  const two = [block("b"), say("One. "), step(2), say("Two. ")];
  assert.equal(textOf(...two, discard({ step: 2 }), say("Again.")), "One. Again.");
  assert.equal(textOf(...two, discard({ step: 1, blockId: "b" }), block("b"), say("Again.")), "Again.");
  assert.equal(textOf(...two, discard({ step: 9 })), "One. ");
});

test("a retracted wait goes back to the step or to the end of the block, whichever is earlier, or nowhere if neither was seen", () => {
  const waiting = [block("a"), say("A. "), end("a"), block("b"), step(2), say("B. ")];
  assert.equal(textOf(...waiting, discard({ step: 2, blockId: "a", waiting: true })), "A. ");
  assert.equal(textOf(...waiting, discard({ step: 7, blockId: "x", waiting: true })), "A. B. ");
});

test("workers and independent blocks add nothing, and a worker's retracted step takes the later text of its callers", () => {
  const called = [
    block("b"),
    say("Before. "),
    "[w",
    block("in w"),
    say("Hidden."),
    step(2),
    "w]",
    say("After. "),
  ];
  assert.equal(textOf(...called), "Before. After. ");
  assert.equal(textOf(...called, "[w", discard({ step: 2 }), "w]"), "Before. ");
  assert.equal(
    textOf(block("i", { independent: true }), say("Live."), end("i"), block("b"), say("Kept.")),
    "Kept.",
  );
});
