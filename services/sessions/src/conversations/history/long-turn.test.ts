import assert from "node:assert/strict";
import { beginTurn, toUiMessages } from "@muster/engine";
import {
  answer,
  ask,
  beginningOf,
  call,
  countingEnvironment,
  emptyConversation,
  programOf,
  say,
  start,
  text,
} from "@muster/engine/testing";
import { createIds, ManualClock, silentLogger } from "@muster/service";
import { test } from "vitest";
import type { NewChunk } from "../../store/chunk-store.ts";
import { newHead } from "./head.ts";
import { createHistoryCache } from "./history-cache.ts";
import { TurnHistory } from "./turn-history.ts";

const stepCount = 200;
const wordsLength = 2_000;
const todos = [{ content: "Go on", status: "in_progress" }];
const program = programOf({
  blocks: [say("Hello"), ask()],
  agent: { todoList: true, maxSteps: stepCount + 1 },
});

test("a turn of 200 steps writes each step to its document a bounded number of times, and users see one message", async () => {
  const archived: NewChunk[] = [];
  const newId = createIds();
  const history = new TurnHistory(
    {
      chunks: {
        before: async () => [],
        from: async () => [],
        containing: async () => [],
        mentioning: async () => [],
        insert: async (_key, chunk) => void archived.push(chunk),
      },
      cache: createHistoryCache(1_000_000),
      clock: new ManualClock(),
      log: silentLogger,
      newId,
      archiveLength: 32 * 1024,
    },
    { projectId: "prj_1", sessionId: "ses_1" },
    newHead(newId),
    { messages: [], tailLength: 0 },
  );
  const machine = beginTurn(
    {
      program,
      conversation: emptyConversation(),
      executionId: "exe_1",
      ...beginningOf(program, "Hello"),
      dynamicTools: [],
    },
    countingEnvironment(),
  );
  let writtenLength = 0;
  const write = async () => {
    await history.idle();
    const snapshot = history.snapshot(machine.conversation);
    writtenLength += snapshot.fields.tail?.length ?? 0;
    history.written(snapshot);
    history.archive();
  };

  machine.advance(start);
  for (let step = 1; step <= stepCount; step++) {
    const words = text(`${step} `.padEnd(wordsLength, "x"));
    const more = step < stepCount ? call(`call_${step}`, "platform_todo_write", { todos }) : [];
    for (const input of answer(words, more)) {
      const effects = machine.advance(input);
      if (effects.some(({ type }) => type === "save" || type === "end")) await write();
    }
  }

  const total = stepCount * wordsLength;
  assert.ok(writtenLength < 32 * total, `${writtenLength} characters for a turn of ${total}`);
  const shown = toUiMessages(machine.conversation);
  assert.equal(shown.length, 2);
  const texts = shown[1]?.parts.flatMap((part) =>
    part.type === "text" ? Number.parseInt(part.text, 10) : [],
  );
  assert.deepEqual(
    texts,
    Array.from({ length: stepCount }, (_, index) => index + 1),
  );
  assert.equal(shown[1]?.parts.filter(({ type }) => type === "todo").length, 1);
  assert.ok(archived.reduce((sum, { messages }) => sum + messages.length, 0) > total / 2);
});
