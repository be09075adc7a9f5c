import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Reason } from "@muster/proto/errors";
import { silentLogger } from "@muster/service";
import { refused } from "../testing.ts";
import { createDefinitionChecker } from "./checker.ts";

const settings = { slug: "a", name: "A", format: "interactive" } as const;
const sound = `
agent: { model: demo/echo }
triggers: { go: }
handlers: { go: { Answer: { block: next-message } } }
`;
const source = (protocol: string) => ({ settings, protocol, prompts: [], references: [] });

describe("the definition checker", () => {
  test("answers each definition with its own errors, in whatever order they come", async (t) => {
    const checker = createDefinitionChecker({ log: silentLogger, timeoutMs: 10_000 });
    t.after(() => checker.close());
    const texts = Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? sound : `key-${index}: 1`));
    const answers = await Promise.all(texts.map((text) => checker.errorsOf(source(text))));
    for (const [index, errors] of answers.entries()) {
      const unknown = errors.find(({ code }) => code === "UNKNOWN_KEY");
      assert.equal(unknown?.path, index % 3 === 0 ? undefined : `key-${index}`);
    }
  });

  test("a definition that overruns its time is refused, and the next one is checked by a new worker", async (t) => {
    const checker = createDefinitionChecker({ log: silentLogger, timeoutMs: 0 });
    t.after(() => checker.close());
    const errors = await checker.errorsOf(source(sound));
    assert.deepEqual(
      errors.map(({ code }) => code),
      ["INVALID_YAML"],
    );
    assert.equal((await checker.errorsOf(source(sound))).length, 1);
  });

  test("what waits is refused when the service stops, and nothing is taken after", async () => {
    const checker = createDefinitionChecker({ log: silentLogger, timeoutMs: 10_000 });
    const waiting = [checker.errorsOf(source(sound)), checker.errorsOf(source(sound))];
    const outcomes = Promise.allSettled(waiting);
    await checker.close();
    for (const outcome of await outcomes) {
      assert.ok(outcome.status === "rejected" && refused(Reason.UNAVAILABLE)(outcome.reason));
    }
    await assert.rejects(checker.errorsOf(source(sound)), refused(Reason.UNAVAILABLE));
  });

  test("a full queue is refused instead of growing", async (t) => {
    const checker = createDefinitionChecker({ log: silentLogger, timeoutMs: 10_000 });
    t.after(() => checker.close());
    const calls = Array.from({ length: 80 }, () => checker.errorsOf(source(sound)));
    const outcomes = await Promise.allSettled(calls);
    const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
    assert.ok(refusals.length > 0 && refusals.length < 80);
    for (const { reason } of refusals) assert.ok(refused(Reason.UNAVAILABLE)(reason));
  });
});
