import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, call, start, text } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import type { StoredMessage } from "../conversation/conversation.ts";

test("the steps of a turn read the content of earlier messages that their model is not sent once at most", () => {
  let readCount = 0;
  const earlier: StoredMessage[] = Array.from({ length: 100 }, (_, index) => ({
    id: `earlier_${index}`,
    role: "user",
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    thread: "other",
    audience: "model",
    get parts(): StoredMessage["parts"] {
      readCount += 1;
      return [];
    },
  }));
  const program = programOf({ blocks: [say("Hello"), ask()], agent: { todoList: true, maxSteps: 10 } });
  const todos = [{ content: "Go on", status: "pending" }];
  const steps = [1, 2, 3, 4, 5].map((n) => answer(call(`call_${n}`, "platform_todo_write", { todos })));
  const { outcome } = play(program, [start, ...steps.flat(), ...answer(text("Done."))], {
    conversation: { messages: earlier, variables: {}, resources: {} },
  });
  assert.equal(outcome, "finished");
  assert.ok(readCount <= earlier.length, `${readCount} reads of ${earlier.length} messages`);
});
