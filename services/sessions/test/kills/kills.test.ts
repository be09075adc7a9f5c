import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { CallOptions } from "@connectrpc/connect";
import type { UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import { View } from "@muster/proto/sessions";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { chat } from "../support/definitions.ts";
import { asUiMessage, comparable } from "../support/folding.ts";
import {
  type Instance,
  readAll,
  readSession,
  say,
  scriptedModel,
  startWorld,
  textOf,
  type World,
} from "../support/harness.ts";
import { assertKept } from "../support/kills/kept.ts";
import { type Plan, planOf, type Resume, titleOf } from "../support/kills/plan.ts";
import { question, TalkScript } from "../support/kills/script.ts";
import { Turn } from "../support/kills/turn.ts";
import { startChild } from "../support/start-child.ts";

/** `npm run test:kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? 10);
/** Each session survives so many, and grows long enough for its messages to be archived. */
const killsPerSession = 10;
/** No lease runs out because a machine is slow: the test ends those of dead processes. */
const leaseMs = 600_000;

type Child = Awaited<ReturnType<typeof startChild>>;

describe(`a sessions process that is killed ${kills} times (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: World;
  let child: Child;
  let second: Instance;
  let sessionId: string;
  const seen = { adopted: 0, closed: 0 };

  beforeAll(async () => {
    world = await startWorld(scope);
    world.agents.set("agt_chat", [
      { ...chat, protocol: chat.protocol.replace("agent:\n", "agent:\n  todoList: true\n") },
    ]);
    second = await world.addInstance({ timings: { pollEventsEveryMs: 20, earlySaveMs: 50, leaseMs } });
    child = await startChild(world, leaseMs);
    scope.onTestFinished(() => child.kill());
  });

  /** The processes have the real time. */
  const as = (): CallOptions => {
    world.clock.advance(Date.now() - world.clock.now());
    return world.as();
  };

  const read = async (view: View, { client }: Pick<Instance, "client"> = child): Promise<UiMessage[]> => {
    const { messages } = await readSession(client, { sessionId, view }, as());
    return comparable(messages.map(asUiMessage));
  };

  async function restart(): Promise<void> {
    child.kill();
    await child.exited;
    child = await startChild(world, leaseMs);
    await world.sessions.updateMany(
      { _id: sessionId, lease: { $ne: null } },
      { $set: { "lease.until": new Date(0) } },
    );
  }

  /** Runs something until so many events have arrived, and kills the process. */
  async function untilKilled(
    run: (onEvent: () => Promise<void>) => Promise<void>,
    events: number,
    jitterMs: number,
  ): Promise<void> {
    let isKilled = false;
    let left = events;
    const kill = async () => {
      isKilled = true;
      await delay(jitterMs);
      child.kill();
    };
    try {
      if (left === 0) void kill();
      await run(async () => {
        left -= 1;
        if (left === 0) await kill();
      });
    } catch (error) {
      if (!isKilled) throw error;
    }
    await restart();
  }

  /** Returns how often the turn was adopted at most. */
  async function resumeToEnd(turn: Turn, { from, on, killAfter }: Resume): Promise<number> {
    if (killAfter !== undefined) {
      await untilKilled((onEvent) => turn.resume(child.client, from, onEvent), killAfter, 0);
    }
    const { client } = on === "second" ? second : child;
    await turn.resume(client, killAfter === undefined ? from : "cursor", async () => undefined);
    return killAfter === undefined ? 1 : 2;
  }

  async function assertWhole(before: readonly UiMessage[], turn: Turn): Promise<void> {
    const fold = new EventFold({ messages: before });
    for (const events of turn.streams) for (const event of events) fold.take(event);
    const expected = comparable(fold.messages("stored"));
    for (const instance of [child, second]) {
      for (const view of [View.UI, View.FULL]) assert.deepEqual(await read(view, instance), expected);
    }
  }

  async function survive(plan: Plan, answer: string): Promise<void> {
    const { talk, resume } = plan;
    const killed = Promise.withResolvers<void>();
    const script = new TalkScript(world.provider, talk, answer, plan.isHeld ? killed.promise : undefined);
    const before = await read(View.UI);
    const turn = new Turn(sessionId, `${talk.name}, please`, as);
    const events = plan.isHeld ? Math.min(plan.events, talk.minEvents) : plan.events;
    await untilKilled((onEvent) => turn.run(child.client, onEvent), events, plan.jitterMs);
    killed.resolve();
    assertKept(before, turn.streams, await read(View.UI));
    const isContinued = resume !== undefined && turn.isKnown;
    const adoptions = isContinued ? await resumeToEnd(turn, resume) : 0;
    if (isContinued) {
      await assertWhole(before, turn);
      assert.deepEqual(turn.executed, talk.tools);
      script.assertAllAsked();
    }
    const wasAdopted = turn.streams.flat().some(({ type }) => type === "step-discard");
    seen[wasAdopted ? "adopted" : "closed"] += 1;
    const { repetitions } = script;
    assert.ok(repetitions <= adoptions, `${repetitions} more model calls after ${adoptions} adoptions`);
    const { client } = resume?.on === "second" ? second : child;
    const replied = await readAll(client.trigger(say(sessionId, question), as()));
    assert.deepEqual([textOf(replied), replied.at(-1)?.finishReason], [answer, "stop"]);
    const after = await read(View.UI);
    assertKept(before, turn.streams, after);
    assert.ok(JSON.stringify(after.at(-1)).includes(answer));
    assert.ok(after.every(({ status }) => status === "done"));
    assert.deepEqual(await read(View.FULL), after);
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const plan = planOf(seed, kill);
    test(`kill ${kill + 1}, ${titleOf(plan)}: the turn adds up, and the session answers`, async () => {
      if (kill % killsPerSession === 0) {
        const inputJson = JSON.stringify({ MODEL: scriptedModel });
        sessionId = (await child.client.createSession({ agentId: "agt_chat", inputJson }, as())).sessionId;
      }
      await survive(plan, `Fine ${kill}.`);
      if ((kill + 1) % killsPerSession === 0) assert.ok((await world.chunks.countDocuments()) > 0);
      world.provider.assertDone();
    });
  }

  test("a reader continued some of the turns, and the next trigger closed others", () => {
    assert.ok(seen.adopted > 0 && seen.closed > 0, JSON.stringify(seen));
  });
});
