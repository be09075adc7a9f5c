import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { freePort } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { runs, says, startWorkforceWorld, type WorkforceWorld } from "../support/workforce/world.ts";

const providerFailures: Array<[string, ScriptedStep, string]> = [
  ["limits the rate", { status: 429, headers: { "retry-after-ms": "1" } }, "provider"],
  ["reports an internal error", { status: 500 }, "provider"],
  ["is overloaded", { status: 529 }, "provider"],
  ["refuses the key", { status: 401 }, "provider"],
  ["cuts its response", { parts: [{ text: "I beg" }], ending: "cut" }, "provider"],
  ["never responds", { silent: true }, "timeout"],
  ["stops in the middle", { parts: [{ text: "I beg" }], ending: "hang" }, "timeout"],
];

async function failureOf({ hire }: Pick<WorkforceWorld, "hire">): Promise<string> {
  const lou = await hire();
  const thread = await lou.ended(await lou.start("Work"));
  assert.match(thread.failureReason ?? "", /^[A-Z].*[.]/);
  return `${thread.status} ${thread.failureType}`;
}

describe("a provider that fails", () => {
  const scope = suiteScope();
  let world: WorkforceWorld;
  beforeAll(async () => {
    world = await startWorkforceWorld(scope, { modelTimeoutMs: 2_000 });
  });

  for (const [what, step, type] of providerFailures) {
    test(`a provider that ${what} fails the run as ${type}`, async () => {
      world.provider.answerBy(() => step);
      assert.equal(await failureOf(world), `failed ${type}`);
    });
  }
});

describe("causes that stop a run", () => {
  test("a provider whose socket is refused fails it as provider", async (t) => {
    const modelUrl = `http://127.0.0.1:${await freePort()}/v1`;
    assert.equal(await failureOf(await startWorkforceWorld(t, { modelUrl })), "failed provider");
  });

  test("a computer that is never reached fails it, and nothing has been done", async (t) => {
    const { hire, provider } = await startWorkforceWorld(t, {
      workforce: { timings: { computerStartMs: 200 } },
    });
    const lou = await hire({
      computer: {
        $typeName: "muster.workforce.v1.Computer",
        kind: "dedicated",
        os: "linux",
        state: "",
        id: "",
      },
    });
    const thread = await lou.ended(await lou.start("Work"));
    assert.deepEqual([thread.status, thread.failureType], ["failed", "computer_unreachable"]);
    assert.equal(thread.startedAt, undefined);
    assert.equal(provider.requests.length, 0);
  });

  test("a conversation that becomes too large fails it, and the thread takes no more messages", async (t) => {
    const { hire, provider } = await startWorkforceWorld(t, {
      sessions: { maxConversationBytes: 64 * 1024 },
    });
    provider.answerBy(() => says("word ".repeat(20_000)));
    const lou = await hire();
    const threadId = await lou.start("Write a lot");
    assert.equal((await lou.ended(threadId)).status, "completed");
    await lou.followUp(threadId, "Write more");
    const thread = await lou.ended(threadId);
    assert.deepEqual([thread.status, thread.failureType], ["failed", "session_too_large"]);
    await assert.rejects(lou.followUp(threadId, "And more"), /too large|new thread/i);
  });

  test("a limit that is reached during the run blocks it, and a follow-up continues it once the limit is raised", async (t) => {
    const { hire, provider } = await startWorkforceWorld(t, { steps: [runs("echo 1"), says("Done.")] });
    const limits = { $typeName: "muster.workforce.v1.AgentLimits" as const, monthlyTokens: 12n };
    const lou = await hire({ limits });
    const threadId = await lou.start("Work");
    const thread = await lou.ended(threadId);
    assert.deepEqual([thread.status, thread.failureType], ["blocked", "limit"]);
    assert.equal(provider.requests.length, 1);
    await lou.limit("1000");
    await lou.followUp(threadId, "Go on");
    assert.equal((await lou.ended(threadId)).status, "completed");
  });

  test("a limit of runs blocks the next thread of the queue as billing", async (t) => {
    const { hire } = await startWorkforceWorld(t, { steps: [says("Done.")] });
    const limits = { $typeName: "muster.workforce.v1.AgentLimits" as const, monthlyRuns: 1 };
    const lou = await hire({ limits });
    const [first, second] = [await lou.start("One"), await lou.start("Two")];
    assert.equal((await lou.ended(first)).status, "completed");
    const thread = await lou.ended(second);
    assert.deepEqual([thread.status, thread.failureType], ["blocked", "billing"]);
  });
});
