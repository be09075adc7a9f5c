import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  managedAgent,
  smallEnvironment,
  smallWindow,
  talkOf,
} from "../../test/support/long-conversations.ts";
import { answer, start, text } from "../../test/support/model-parts.ts";
import { emptyConversation, play } from "../../test/support/play.ts";
import { ask, programOf, promptOf, say } from "../../test/support/programs.ts";
import type { Input, ModelCall } from "../boundary/machine.ts";
import type { Conversation } from "../conversation/conversation.ts";

/** The share of the window at which `managedAgent` has its conversation summarised. */
const threshold = smallWindow / 2;

/** An agent whose instructions take so many tokens. Each of its turns takes about 33. */
function agentWith(instructions: number) {
  const system = promptOf("x".repeat(instructions * 4));
  return programOf({ blocks: [say("ask ".repeat(8)), ask()], agent: managedAgent({ system }) });
}

interface Lived {
  conversation: Conversation;
  /** How many summaries each turn has written. */
  summaries: number[];
  warnings: string[];
  prompts: string[];
  problems: string[];
}

/** Turns one after another, each as long as the others. */
function live(instructions: number, turns: number, conversation = emptyConversation()): Lived {
  const program = agentWith(instructions);
  const lived: Lived = { conversation, summaries: [], warnings: [], prompts: [], problems: [] };
  for (let turn = 0; turn < turns; turn++) {
    const options = { conversation: lived.conversation, executionId: `exe_${turn}` };
    const begin = (inputs: Input[]) =>
      play(program, [start, ...inputs], {
        ...structuredClone(options),
        environment: smallEnvironment(1_000 * turn),
      });
    const isSummarised = begin([]).calls[0]?.summary !== undefined;
    const said = answer(text(`said ${turn} ${"word ".repeat(12)}`));
    const { calls, outcome, machine } = begin([...(isSummarised ? answer(text("Lanterns.")) : []), ...said]);
    assert.equal(outcome, "finished");
    lived.conversation = machine.conversation;
    lived.summaries.push(isSummarised ? 1 : 0);
    lived.warnings.push(...calls.flatMap(({ warning }) => warning ?? []));
    lived.prompts.push(
      ...calls.flatMap(({ summary, options }) => (summary === undefined ? saidIn(options) : [])),
    );
    lived.problems.push(
      ...calls.flatMap(({ compactions = [] }) => compactions.flatMap((one) => one.problem ?? [])),
    );
  }
  return lived;
}

/** Without the instructions. */
function saidIn({ prompt }: ModelCall["options"]): string {
  return JSON.stringify(prompt.filter(({ role }) => role !== "system"));
}

const count = (summaries: readonly number[]) => summaries.reduce((sum, one) => sum + one, 0);

describe("instructions and tools that alone exceed the threshold", () => {
  for (const instructions of [0.95 * threshold, 1.2 * threshold, 1.5 * threshold]) {
    test(`${instructions} tokens of them: a summary is written only after several turns, and the turns between stay whole`, () => {
      const { summaries, prompts } = live(instructions, 12);
      assert.ok(count(summaries) >= 1, "the conversation still becomes part of a summary");
      assert.ok(count(summaries) <= 4, `summaries of each turn: ${summaries}`);
      for (const prompt of prompts) assert.doesNotMatch(prompt, /left out/);
      for (const [turn, prompt] of prompts.entries())
        if (turn > 0) assert.match(prompt, new RegExp(`said ${turn - 1} `));
    });
  }

  test("the log explains it once for a thread and its model", () => {
    const { warnings, conversation } = live(1.2 * threshold, 4);
    assert.deepEqual(warnings, [
      "The instructions and tools of the thread main take about 1200 tokens. Its thresholdPercent of the 2000 of demo/main " +
        "is 1000, and summaries cannot bring its prompts below that. Shorten the instructions, offer fewer tools, or use a " +
        "model with a larger window.",
    ]);
    const shorter = live(100, 1, conversation);
    assert.deepEqual(shorter.warnings, []);
    assert.equal(live(1.2 * threshold, 1, shorter.conversation).warnings.length, 1);
  });

  test("if they fill the window itself, no turn writes a summary for the few messages that it would replace", () => {
    const { summaries, problems } = live(0.98 * smallWindow, 6);
    assert.equal(count(summaries.slice(0, 3)), 0);
    assert.ok(count(summaries) <= 2, `summaries of each turn: ${summaries}`);
    assert.match(problems[0] ?? "", /instructions and tools leave too little room/);
  });

  test("instructions that leave room change nothing", () => {
    const { warnings } = live(0.5 * threshold, 3);
    assert.deepEqual(warnings, []);
    const { calls } = play(agentWith(100), [start], {
      environment: smallEnvironment(1_000),
      conversation: talkOf(12, 100),
    });
    assert.equal(calls[0]?.summary, 1);
  });
});
