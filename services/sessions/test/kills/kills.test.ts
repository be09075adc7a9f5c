import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { View } from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { StreamEvent } from "@muster/stream-events";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { chat } from "../definitions.ts";
import { asStreamEvent, asUiMessage, comparable } from "../folding.ts";
import {
  eventsOf,
  readAll,
  readSession,
  result,
  say,
  scriptedModel,
  startWorld,
  textOf,
  type World,
} from "../harness.ts";
import { startChild } from "../start-child.ts";
import { assertKept } from "./kept.ts";
import { randomFrom } from "./random.ts";
import { type Talk, talks } from "./talks.ts";

/** `npm run test:kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 6);
const seed = Number(process.env.KILLS_SEED ?? 10);
/** Each session survives so many, and grows long enough for its messages to be archived. */
const killsPerSession = 10;
/** Long enough for a process on a busy machine to renew it. */
const leaseMs = 3_000;

type Child = Awaited<ReturnType<typeof startChild>>;

describe(`a sessions process that is killed ${kills} times (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: World;
  let child: Child;
  let sessionId: string;

  beforeAll(async () => {
    world = await startWorld(scope);
    world.agents.set("agt_chat", [
      { ...chat, protocol: chat.protocol.replace("agent:\n", "agent:\n  todoList: true\n") },
    ]);
    child = await startChild(world, leaseMs);
    scope.onTestFinished(() => child.kill());
  });

  /** The processes have the real time. */
  const as = () => {
    world.clock.advance(Date.now() - world.clock.now());
    return world.as();
  };

  const read = async (view: View) => {
    const { messages } = await readSession(child.client, { sessionId, view }, as());
    return comparable(messages.map(asUiMessage));
  };

  /** Runs a turn, continues it with results, and kills the process after so many events. Returns its streams. */
  async function runUntilKilled(talk: Talk, events: number, jitterMs: number): Promise<StreamEvent[][]> {
    const streams: StreamEvent[][] = [];
    let isKilled = false;
    let left = events;
    const kill = async () => {
      isKilled = true;
      await delay(jitterMs);
      child.kill();
    };
    let request: object | undefined = say(sessionId, `${talk.name}, please`);
    while (request !== undefined && !isKilled) {
      const seen: StreamEvent[] = [];
      streams.push(seen);
      try {
        const stream = eventsOf(child.client.trigger(request, as()));
        if (left === 0) await Promise.all([stream.next(), kill()]);
        for await (const event of stream) {
          seen.push(asStreamEvent(event));
          left -= 1;
          if (left === 0) await kill();
        }
      } catch (error) {
        if (!isKilled) throw error;
      }
      request = continuationOf(seen);
    }
    if (!isKilled) await kill();
    return streams;
  }

  function continuationOf(events: readonly StreamEvent[]): object | undefined {
    const [start] = events;
    const request = events.find((event) => event.type === "tool-request");
    if (start?.type !== "start" || request === undefined || events.at(-1)?.type !== "finish")
      return undefined;
    const toolResults = request.toolCalls.map(({ toolCallId }) => result(toolCallId, { found: 7 }));
    return { sessionId, executionId: start.executionId, toolResults };
  }

  /** The answer to a message, as soon as the lease of the dead process has run out. */
  async function ask(text: string) {
    for (;;) {
      try {
        return await readAll(child.client.trigger(say(sessionId, text), as()));
      } catch (error) {
        if (readRpcError(error).reason !== Reason.SESSION_BUSY) throw error;
      }
    }
  }

  for (let kill = 0; kill < kills; kill += 1) {
    const random = randomFrom(seed * 1_000 + kill);
    const talk = talks[Math.floor(random() * talks.length)];
    assert.ok(talk);
    const events = Math.floor(random() * talk.maxEvents);
    const jitterMs = random() * 5;
    test(`kill ${kill + 1}, after ${events} events of ${talk.name}: what was stored is there, and the session answers`, async () => {
      if (kill % killsPerSession === 0) {
        const inputJson = JSON.stringify({ MODEL: scriptedModel });
        sessionId = (await child.client.createSession({ agentId: "agt_chat", inputJson }, as())).sessionId;
      }
      const before = await read(View.UI);
      world.provider.replace(...talk.steps);
      const streams = await runUntilKilled(talk, events, jitterMs);
      child = await startChild(world, leaseMs);

      assertKept(before, streams, await read(View.UI));
      const answer = `Fine ${kill}.`;
      world.provider.replace({ parts: [{ text: answer }] });
      const replied = await ask("Well?");
      assert.deepEqual([textOf(replied), replied.at(-1)?.finishReason], [answer, "stop"]);
      const after = await read(View.UI);
      assertKept(before, streams, after);
      assert.ok(JSON.stringify(after.at(-1)).includes(answer));
      assert.ok(after.every(({ status }) => status === "done"));
      assert.deepEqual(
        (await read(View.FULL)).map(({ id }) => id),
        after.map(({ id }) => id),
      );
      if ((kill + 1) % killsPerSession === 0) assert.ok((await world.chunks.countDocuments()) > 0);
      world.provider.assertDone();
    });
  }
});
