import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { checkPrompt } from "../../test/support/check-prompt.ts";
import type { Conversation, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { finalLength } from "../conversation/messages.ts";
import { toPrompt } from "../prompt/prompt.ts";
import { tokensOf, tokensOfParts, tokensPerMessage } from "./estimate.ts";
import { planFold, startsTurn } from "./fold-plan.ts";
import { trim } from "./trim.ts";
import { messagesAfter, sizedAfter, summaryOf, sumOf } from "./view.ts";

const words = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" }),
  fc.constantFrom("__proto__", "constructor", "x".repeat(2_000)),
);
const text = words.map((said): StoredPart => ({ type: "text", text: said, status: "done" }));
const call = fc.record({ args: words, result: words, reads: fc.boolean() }).map(
  ({ args, result }): ToolCallPart => ({
    type: "tool-call",
    toolCallId: "",
    toolName: "constructor",
    display: "hidden",
    source: "llm",
    args: { args },
    result,
    status: "done",
  }),
);
const separator = fc.constant<StoredPart>({ type: "step-start" });
const assistantParts = fc.array(fc.oneof(text, call, separator), { minLength: 1, maxLength: 8 });
const turn = fc.record({
  asked: fc.array(text, { minLength: 1, maxLength: 2 }),
  instruction: fc.option(text, { nil: undefined }),
  answered: fc.array(assistantParts, { minLength: 1, maxLength: 3 }),
});

const conversation = fc.array(turn, { minLength: 1, maxLength: 8 }).map((turns): Conversation => {
  const messages = turns.flatMap(({ asked, instruction, answered }, number) => {
    const said = (role: StoredMessage["role"], parts: StoredPart[], index: number): StoredMessage => ({
      id: `msg_${number}_${role}_${index}`,
      role,
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      executionId: `exe_${number}`,
      thread: "main",
      audience: "everyone",
      parts: parts.map((part, at) =>
        part.type === "tool-call" ? { ...part, toolCallId: `call_${number}_${index}_${at}` } : part,
      ),
    });
    return [
      ...(instruction === undefined ? [] : [said("system", [instruction], 0)]),
      said("user", asked, 0),
      ...answered.map((parts, index) => said("assistant", parts, index)),
    ];
  });
  return { messages, variables: {}, resources: {} };
});
const room = fc.integer({ min: 1, max: 3_000 });

function callsIn(messages: readonly StoredMessage[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : [])),
  );
}

describe("the part of an overlong conversation that a model reads", () => {
  test("it is a prompt that every provider accepts: no call is separated from its result, nothing is reordered", () => {
    const property = fc.property(conversation, room, ({ messages }, limit) => {
      const sized = sizedAfter({ messages }, ["main"], undefined, {});
      const trimmed = trim(sized, limit, {});
      const options = { threads: ["main"], ...trimmed };
      checkPrompt(toPrompt({ messages: trimmed.messages }, options));
      const all = callsIn(messages);
      const kept = callsIn(trimmed.messages);
      assert.deepEqual(
        kept,
        all.filter((id) => kept.includes(id)),
      );
      const [before, after] = [messages.length, trimmed.messages.length];
      assert.ok(trimmed.omitted >= before - after - messages.filter(({ parts }) => isEmpty(parts)).length);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("it fits into the room whenever the request and the last step do", () => {
    const property = fc.property(conversation, room, ({ messages }, limit) => {
      const sized = sizedAfter({ messages }, ["main"], undefined, {});
      const { messages: kept, tokens, maxToolOutputTokens } = trim(sized, limit, {});
      const counted = kept.reduce(
        (sum, { parts }) => sum + tokensPerMessage + tokensOfParts(parts, { maxToolOutputTokens }),
        0,
      );
      assert.equal(tokens, counted);
      const least = trim(sized, 1, {}).tokens;
      if (least <= limit) assert.ok(tokens <= limit, `${tokens} tokens in ${limit}, ${least} at least`);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("the last step and the current request are always part of it", () => {
    const property = fc.property(conversation, room, ({ messages }, limit) => {
      const kept = trim(sizedAfter({ messages }, ["main"], undefined, {}), limit, {}).messages;
      const asked = messages.findLast(({ role }) => role === "user");
      assert.ok(kept.some(({ id }) => id === asked?.id));
      const last = messages.findLast(({ parts }) => !isEmpty(parts));
      assert.equal(kept.at(-1)?.id, last?.id);
      assert.deepEqual(lastPart(kept.at(-1)), lastPart(last));
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe("where a summary ends", () => {
  test("the rest is whole turns that fit, unless one turn alone is too large; nothing is folded that may change", () => {
    const property = fc.property(conversation, room, fc.nat(4), ({ messages }, limit, open) => {
      const changing = structuredClone(messages);
      const { executionId } = changing.at(-1) ?? {};
      const answer = changing.filter((one) => one.role === "assistant" && one.executionId === executionId);
      for (const message of answer.slice(open)) message.status = "streaming";
      const finalEnd = finalLength(changing);
      const sized = sizedAfter({ messages: changing }, ["main"], undefined, {});
      const recent = Math.floor(limit / 4);
      const count = planFold(sized, { recent, limit, leastFold: limit / 10, finalEnd });
      if (count === undefined) return;
      assert.ok(count > 0 && count < sized.length);
      assert.ok((sized[count - 1]?.at ?? finalEnd) < finalEnd);
      if (startsTurn(sized[count - 1], sized[count])) return;
      const currentTurn = sized.findLastIndex((one, at) => startsTurn(sized[at - 1], one));
      assert.ok(count > currentTurn || sumOf(sized.slice(currentTurn)) > limit);
      assert.equal(sized[count - 1]?.message.role, "assistant");
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("summaries follow one another: each view begins where the last one ends, and no message is read twice or lost", () => {
    const property = fc.property(
      conversation,
      fc.array(fc.nat(60), { maxLength: 5 }),
      ({ messages }, cuts) => {
        const ends = cuts.map((cut) => Math.min(cut, messages.length)).sort((a, b) => a - b);
        const all = [...messages];
        for (const [index, through] of ends.entries()) {
          const summary = { through, text: `summary ${index}` };
          const message: StoredMessage = {
            ...all[0],
            id: `msg_s${index}`,
            role: "system",
            summary,
            parts: [],
          } as StoredMessage;
          all.push(message);
          const found = summaryOf({ messages: all }, "main");
          assert.equal(found?.through, through);
          const read = messagesAfter({ messages: all }, ["main"], found);
          assert.deepEqual(
            read.map(({ id }) => id),
            messages.slice(through).map(({ id }) => id),
          );
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

test("a message that is done is counted once, and an open one every time", () => {
  const message: StoredMessage = {
    ...{ id: "msg_1", role: "user", status: "done", createdAt: "", thread: "main", audience: "everyone" },
    parts: [{ type: "text", text: "four", status: "done" }],
  };
  const before = tokensOf(message, {});
  message.parts.push({ type: "text", text: "x".repeat(400), status: "done" });
  assert.equal(tokensOf(message, {}), before);
  message.status = "streaming";
  assert.equal(tokensOf({ ...message }, {}), before + 100);
});

function lastPart(message: StoredMessage | undefined): StoredPart | undefined {
  return message?.parts.findLast(({ type }) => type !== "step-start");
}

function isEmpty(parts: readonly StoredPart[]): boolean {
  return parts.every(({ type }) => type === "step-start");
}
