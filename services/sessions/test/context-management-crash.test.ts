import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { continuing, hasText, leaseMs, Reader, resume, survivorTimings } from "./support/adoption-harness.ts";
import { chat } from "./support/definitions.ts";
import { openSession, readAll, say, startWorld, type World } from "./support/harness.ts";

const keeper = `
input: { CONVERSATION: { type: string } }
variables: { SUMMARY: { type: string } }
steps:
  Open: { block: start-thread, thread: main, model: local/scripted }
  Ask: { block: add-message, role: user, prompt: task, input: [CONVERSATION] }
  Answer: { block: next-message, output: SUMMARY }
output: SUMMARY
`;

const share = "thresholdPercent: 50, recentPercent: 20";
const writers = {
  "the model": `agent:\n  contextManagement: { ${share} }\n`,
  "a worker": `workers:
  keeper: { description: Keeps the summary }
agent:
  contextManagement: { summarizerWorker: keeper, ${share} }
`,
};

function setAgents(world: World, management: string): void {
  world.agents.set("agt_chat", [{ ...chat, protocol: chat.protocol.replace("agent:\n", management) }]);
  const prompts = { task: "Keep {{CONVERSATION}}" };
  world.agents.set("keeper", [{ format: "worker", prompts, protocol: keeper }]);
}

const localContextTokens = 1_000;
const long = "lantern ".repeat(50);

const answer = (text: string): ScriptedStep => ({ parts: [{ text }] });
const half: ScriptedStep = { parts: [{ text: "Half an ans" }], ending: "hang" };

const boundaries: Array<{ title: string; hanging: ScriptedStep[]; again: ScriptedStep[] }> = [
  {
    title: "while the summary is written",
    hanging: [{ silent: true }],
    again: [answer("Lanterns."), answer("Four.")],
  },
  {
    title: "in the middle of the summary",
    hanging: [half],
    again: [answer("Lanterns."), answer("Four.")],
  },
  {
    title: "in the step after the summary",
    hanging: [answer("Lanterns."), half],
    again: [answer("Four.")],
  },
];

function promptOf(world: World, request: number): string {
  return JSON.stringify(world.provider.requests.at(request)?.body.messages);
}

describe("a turn that needs a summary and whose process dies", () => {
  const cases = Object.entries(writers).flatMap(([writer, management]) =>
    boundaries.map((boundary) => ({ ...boundary, writer, management })),
  );
  for (const { title, hanging, again, writer, management } of cases) {
    for (const earlySaveMs of [20, 3_600_000]) {
      test(`${title} by ${writer}, stored after ${earlySaveMs} ms: another process continues, with one summary and the same prompt`, async (t) => {
        const before = ["One.", "Two.", "Three."].map(answer);
        const world = await startWorld(t, [...before, ...hanging, ...again, answer("Five.")]);
        setAgents(world, management);
        const frozen = { renewEveryMs: 3_600_000, flushEventsEveryMs: 10, earlySaveMs };
        const doomed = await world.addInstance({ timings: frozen, localContextTokens });
        const survivor = await world.addInstance({ timings: survivorTimings, localContextTokens });
        const sessionId = await openSession(world, survivor);
        const ask = async (text: string) =>
          readAll(survivor.client.trigger(say(sessionId, text), world.as()));
        for (let turn = 1; turn <= 3; turn++) await ask(`${turn}. ${long}`);
        const request = { ...say(sessionId, `4. ${long}`), ...continuing };
        const reader = new Reader(doomed.client.trigger(request, world.as()));
        await until("the call hangs", () => world.provider.requests.length === 3 + hanging.length);
        if (hanging.length === 2) await reader.until(hasText("Half"));
        else await reader.until((seen) => seen.length > 0);
        if (earlySaveMs < 1_000)
          await until("the turn is stored", async () => {
            return (await world.document(sessionId)).execution?.state === "running";
          });
        world.clock.advance(leaseMs);
        const ids = { sessionId, executionId: reader.executionId };
        const events = await resume(world, survivor, ids);
        assert.equal(world.provider.requests.length, 3 + hanging.length + again.length);
        assert.match(promptOf(world, -1), /Lanterns\..*4\. lantern/s);
        assert.doesNotMatch(promptOf(world, -1), /1\. lantern/);
        assert.ok(events.some(({ json }) => json.includes("Four.")));
        assert.ok(!events.some(({ json }) => json.includes("Lanterns") || json.includes("workerId")));
        const stored = await storedMessages(world, sessionId);
        const summaries = stored.filter(({ summary }) => summary !== undefined);
        assert.deepEqual(
          summaries.map(({ summary }) => summary?.text),
          ["Lanterns."],
        );
        await ask("5.");
        assert.match(promptOf(world, -1), /Lanterns\..*Four\..*5\./s);
      });
    }
  }
});

async function storedMessages(
  world: World,
  sessionId: string,
): Promise<Array<{ summary?: { text: string } }>> {
  const { tail } = await world.document(sessionId);
  return JSON.parse(tail ?? "[]");
}
