import assert from "node:assert/strict";
import type { Display } from "@muster/language";
import { describe, test } from "vitest";
import {
  managed,
  managedAgent,
  smallEnvironment,
  smallWindow,
  talkOf,
} from "../../test/support/long-conversations.ts";
import { answer, call, failed, results, start, text } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import type { Input } from "../boundary/machine.ts";
import { roomOf } from "../steps/prompt-size.ts";

/** In characters. Longer messages of a turn are final before its next step. */
const sealLength = 600;

interface LongTurn {
  display?: Display;
  independent?: boolean;
  isSummarised?: boolean;
  last?: Input[];
}

const done = answer(text("Done."));

function longTurn({ isSummarised = false, last = done, ...block }: LongTurn) {
  const program = programOf({
    blocks: [say("Hello"), ask(block)],
    tools: { find: "name" },
    agent: managedAgent({ tools: ["find"], maxSteps: 20 }),
  });
  const step = (id: string): Input[] => [
    ...answer(text(`${id} ${"word ".repeat(250)}`), call(id, "find")),
    results({ [id]: 1 }),
  ];
  const steps = ["c1", "c2", "c3"].flatMap(step);
  const summary = isSummarised ? answer(text("Steps.")) : [];
  const ending = [...summary, ...last];
  return play(program, [start, ...steps, ...ending], {
    environment: smallEnvironment(1_000, sealLength),
    conversation: talkOf(0, 0),
  });
}

describe("a turn that is too large by itself", () => {
  test("its first steps become part of a summary", () => {
    const { calls, outcome } = longTurn({ isSummarised: true });
    assert.equal(outcome, "finished");
    assert.equal(calls.filter(({ summary }) => summary === 1).length, 1);
    assert.equal(calls.at(-1)?.compactions?.[0]?.method, "summary");
  });

  test("the ids of its calls behind the summary are its own, as on an instance that has not read the earlier ones", () => {
    const { events } = longTurn({ isSummarised: true, last: answer(call("c4", "find")) });
    const ids = events.flatMap((event) => (event.type === "tool-input-start" ? event.toolCallId : []));
    assert.deepEqual(ids.slice(0, 3), ["c1", "c2", "c3"]);
    assert.match(ids[3] ?? "", /^call_/);
  });

  for (const [what, block] of [
    ["that users see the name of", { display: "name" }],
    ["that is independent", { independent: true }],
  ] as const) {
    test(`in a block ${what}: its oldest steps are left out, and it continues`, () => {
      const { calls, outcome } = longTurn(block);
      assert.equal(outcome, "finished");
      assert.ok(calls.every(({ summary }) => summary === undefined));
      assert.equal(calls.at(-1)?.compactions?.[0]?.method, "trim");
    });
  }
});

test("the prompt that one model has refused does not shorten the prompts of another", () => {
  const program = programOf({ blocks: [say("Hello"), ask()], agent: managedAgent() });
  const refused = failed({ isTooLong: true, transient: false, retryable: false });
  const inputs = [start, refused, ...answer(text("Summary.")), ...answer(text("Yes."))];
  const environment = smallEnvironment();
  const { machine, calls } = play(program, inputs, { environment, conversation: talkOf(8, 100) });
  const { conversation } = machine;
  const windowOf = (modelId: string) =>
    roomOf({ environment, conversation }, "main", modelId, managed).window;
  assert.ok(windowOf(calls[0]?.modelId ?? "") < smallWindow / 2);
  assert.equal(windowOf("openai/another"), smallWindow);
});
