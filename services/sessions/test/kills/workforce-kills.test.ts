import assert from "node:assert/strict";
import type { ScriptedRequest, ScriptedStep } from "@muster/models/testing";
import { type StreamEvent, View } from "@muster/proto/sessions";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import type { UsageRecord } from "../../src/store/usage-document.ts";
import { chat } from "../support/definitions.ts";
import { type Instance, readSession, result, startWorld, type World } from "../support/harness.ts";
import { randomFrom } from "../support/kills/random.ts";
import { startChild } from "../support/start-child.ts";
import {
  asWorkforce,
  computerTools,
  hiddenSessions,
  openThread,
  runResults,
  runSaying,
} from "../support/workforce.ts";

/** `npm run test:kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? 10);
/** No lease runs out because a machine is slow: the test ends those of dead processes. */
const leaseMs = 600_000;
const usage = { inputTokens: 100, outputTokens: 10 };

type Request = ReturnType<typeof runSaying> | ReturnType<typeof runResults>;
type Child = Awaited<ReturnType<typeof startChild>>;

/** A plan, then a command, then an answer: three steps in two calls. */
function stepFor({ body }: ScriptedRequest): ScriptedStep {
  const messages: unknown[] = Array.isArray(body.messages) ? body.messages : [];
  const steps = messages.filter((message) => Reflect.has(Object(message), "tool_calls")).length;
  const todos = [{ content: "Look", status: "pending" }];
  if (steps === 0) {
    const toolCall = { id: "plan", name: "platform_todo_write", arguments: { todos } };
    return { parts: [{ text: "First a plan. " }, { toolCall }], usage };
  }
  if (steps === 1) {
    const toolCall = {
      id: "command",
      name: "shell__run_command",
      arguments: { command: "ls" },
    };
    return { parts: [{ text: "Now I look. " }, { toolCall }], usage };
  }
  return { parts: [{ text: "All is well here." }], usage };
}

describe(`a sessions process that is killed ${kills} times while it runs workforce threads (seed ${seed})`, () => {
  const scope = suiteScope();
  const random = randomFrom(seed);
  let world: World;
  let child: Child;
  let second: Instance;
  let driverEpoch = 0n;

  beforeAll(async () => {
    world = await startWorld(scope);
    world.agents.set("agt_chat", [
      { ...chat, protocol: chat.protocol.replace("agent:\n", "agent:\n  todoList: true\n") },
    ]);
    world.provider.answerBy(stepFor);
    second = await world.addInstance({ timings: { pollEventsEveryMs: 20, leaseMs } });
    child = await startChild(world, leaseMs);
    scope.onTestFinished(() => child.kill());
  });

  const as = () => {
    world.clock.advance(Date.now() - world.clock.now());
    return asWorkforce(world);
  };

  async function restart(): Promise<void> {
    child.kill();
    await child.exited;
    child = await startChild(world, leaseMs);
    await hiddenSessions(world).updateMany(
      { lease: { $ne: null } },
      { $set: { "lease.until": new Date(0) } },
    );
  }

  /** Reads a call to its end: its process is killed after so many events, and another driver sends it again. */
  async function callToEnd(request: Request, killAfter: number): Promise<StreamEvent[]> {
    const seen: StreamEvent[] = [];
    const read = async ({ client }: Pick<Instance, "client">, onEvent: () => void) => {
      const run = { ...request.run, driverEpoch, afterSequence: seen.at(-1)?.sequence ?? 0 };
      for await (const { events } of client.trigger({ ...request, run }, as())) {
        for (const event of events) {
          assert.ok(event.sequence > (seen.at(-1)?.sequence ?? 0), `Event ${event.sequence} came twice`);
          seen.push(event);
          onEvent();
        }
      }
    };
    let left = killAfter;
    const killed = child;
    if (left === 0) killed.kill();
    await read(child, () => {
      left -= 1;
      if (left === 0) killed.kill();
    }).catch((error: unknown) => {
      if (left > 0) throw error;
    });
    if (left > 0) return seen;
    await restart();
    driverEpoch += 1n;
    const from = random() < 0.5 ? second : child;
    if (seen.at(-1)?.type !== "finish") await read(from, () => undefined);
    return seen;
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const where = kill % 3;
    const events = where === 1 ? Math.floor(random() * 6) : Math.floor(random() * 22);
    const place = ["the turn", "the continuation", "both"][where];
    test(`kill ${kill + 1}, after ${events} events of ${place}: every call has one execution and one end, each step is charged once`, async () => {
      driverEpoch += 1n;
      const sessionId = await openThread(world, { client: child.client, stop: async () => undefined });
      const never = Number.POSITIVE_INFINITY;
      const request = runSaying(
        sessionId,
        `go ${kill}`,
        { requestId: "r0" },
        { dynamicTools: computerTools },
      );
      const asked = await callToEnd(request, where === 1 ? never : events);
      const calls = asked.flatMap(({ type, json }) =>
        type === "tool-request" ? JSON.parse(json).toolCalls : [],
      );
      assert.equal(calls.length, 1);
      const results = [result(calls[0].toolCallId, { stdout: "a.log" })];
      const answered = await callToEnd(
        runResults(sessionId, results, { requestId: "r1" }),
        where === 0 ? never : events % 6,
      );
      for (const stream of [asked, answered]) {
        assert.equal(stream.filter(({ type }) => type === "finish").length, 1);
        assert.equal(stream.filter(({ type }) => type === "start").length, 1);
      }
      assert.match(JSON.parse(answered.at(-1)?.json ?? "{}").finishReason, /^stop$/);
      const view = { sessionId, view: View.UI };
      const { messages, session } = await readSession(child.client, view, as());
      assert.equal(JSON.stringify(messages).split("All is well here.").length, 2);
      assert.equal(messages.filter(({ role }) => role === "user").length, 1);
      const records = hiddenSessions(world).db.collection<UsageRecord>("usage");
      const steps = (await records.find({ sessionId }).toArray()).map(({ step }) => step);
      assert.deepEqual(steps.toSorted(), [1, 2, 3]);
      assert.equal(JSON.parse(session?.usageJson ?? "{}").tokens.totalTokens, 330);
      const month = new Date().toISOString().slice(0, 7);
      const { totalTokens } = await second.client.sumUsage({ month }, as());
      assert.equal(Number(totalTokens), (kill + 1) * 330);
    });
  }
});
