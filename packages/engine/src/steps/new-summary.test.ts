import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  managedAgent,
  smallEnvironment,
  smallWindow,
  talkOf,
} from "../../test/support/long-conversations.ts";
import { answer, start, text } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import { tokensIn } from "../context/estimate.ts";
import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { fitted } from "./new-summary.ts";

const program = programOf({ blocks: [say("Hello"), ask()], agent: managedAgent() });

/** A conversation of three turns, whose first one is part of the summary. */
function conversationWith(summary: Omit<ThreadSummary, "through">) {
  const conversation = talkOf(3, 100);
  const message: StoredMessage = {
    ...{ id: "msg_summary", role: "system", status: "done", createdAt: "2026-01-01T00:00:00.000Z" },
    ...{ thread: "main", audience: "model", parts: [], summary: { ...summary, through: 2 } },
  };
  conversation.messages.splice(2, 0, message);
  return conversation;
}

const tooMuch = "word ".repeat(6_400);

const summaries: Record<string, Omit<ThreadSummary, "through">> = {
  "a long text": { text: tooMuch },
  "a long text in another script": { text: "灯笼的故事".repeat(2_000) },
  "long instructions": { text: "Lanterns.", system: ["Be kind.", tooMuch] },
  "a long request": { text: "Lanterns.", request: tooMuch },
};

describe("a summary that was written for a model with a larger context window", () => {
  for (const [what, summary] of Object.entries(summaries)) {
    test(`with ${what}, fits into every call of a model with a smaller one`, () => {
      const conversation = conversationWith(summary);
      const inputs = [start, ...answer(text("Short.")), ...answer(text("Yes."))];
      const { calls, machine } = play(program, inputs, { environment: smallEnvironment(), conversation });
      const sizes = calls.map(({ options }) => tokensIn(JSON.stringify(options.prompt)));
      assert.ok(
        sizes.every((size) => size < smallWindow),
        sizes.join(", "),
      );
      assert.equal(machine.frame.phase, "over");
    });
  }
});

test("a summary that fits is read unchanged", () => {
  const summary = { through: 2, text: "Lanterns.", system: ["Be kind."], request: "Three, please." };
  assert.deepEqual(fitted(summary, { limit: 1_000, recent: 200 }), summary);
});
