import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { resume } from "../support/adoption-harness.ts";
import { chat } from "../support/definitions.ts";
import {
  type Instance,
  messagesOf,
  openSession,
  readAll,
  result,
  say,
  startWorld,
  textOf,
  type World,
} from "../support/harness.ts";
import { startChild } from "../support/start-child.ts";

/** `npm run test:kills` runs more of them. */
const kills = Number(process.env.KILLS ?? 4);
const seed = Number(process.env.KILLS_SEED ?? 10);
/** No lease runs out because a machine is slow: the test ends those of dead processes. */
const leaseMs = 600_000;

const careful = {
  ...chat,
  protocol: chat.protocol.replace(
    "    description: Sends a mail.\n",
    "    description: Sends a mail.\n    approval: ask\n",
  ),
};
const mails = { parts: [{ toolCall: { id: "call_m", name: "send-mail", arguments: { to: "ada" } } }] };
const answers = { parts: [{ text: "Done." }] };

describe(`a sessions process that is killed ${kills} times while it continues a decided turn (seed ${seed})`, () => {
  const scope = suiteScope();
  let world: World;
  let survivor: Instance;

  beforeAll(async () => {
    world = await startWorld(scope);
    world.agents.set("agt_chat", [careful]);
    world.provider.answerBy(({ body }) => (JSON.stringify(body).includes('"tool"') ? answers : mails));
    survivor = await world.addInstance({
      timings: { sweepApprovalsEveryMs: 20, pollAskingEveryMs: 20, leaseMs },
    });
  });

  const as = () => {
    world.clock.advance(Date.now() - world.clock.now());
    return world.as({ permissions: new Set(["sessions", "approve"]) });
  };

  test("the reader of a request whose process was killed after the turn asked ends with the pause", async () => {
    const child = await startChild(world, leaseMs);
    const sessionId = await openSession(world, { client: child.client, stop: async () => undefined });
    const events = await readAll(child.client.trigger(say(sessionId, "mail ada"), as()));
    child.kill();
    await child.exited;
    const executionId = String(events[0]?.executionId);
    for (const afterSequence of [events.length - 1, events.length]) {
      const ids = { sessionId, executionId, toPause: true };
      as();
      const rest = await resume(world, survivor, ids, afterSequence);
      assert.deepEqual(
        rest.map(({ json }) => JSON.parse(json)),
        events.slice(afterSequence),
      );
    }
  });

  for (let kill = 0; kill < kills; kill += 1) {
    const decision = (seed + kill) % 2 === 0 ? "approve" : "deny";
    const afterMs = ((seed + 1) * (kill + 1) * 7919) % 40;
    test(`kill ${kill}: a turn to ${decision}, ${afterMs} ms after the request, continues once`, async () => {
      const child = await startChild(world, leaseMs);
      const doomed = { client: child.client, stop: async () => undefined };
      const sessionId = await openSession(world, doomed);
      await readAll(child.client.trigger(say(sessionId, "mail ada"), as()));
      const [approval] = (await survivor.client.listApprovals({ sessionId }, as())).approvals;
      assert.ok(approval);
      const request = { id: approval.id, decision };
      const decided = child.client.decideApproval(request, as()).catch(() => undefined);
      await delay(afterMs);
      child.kill();
      await Promise.all([decided, child.exited]);
      await world.sessions.updateMany(
        { _id: sessionId, lease: { $ne: null } },
        { $set: { "lease.until": new Date(0) } },
      );
      // If the process died before it stored the decision, this is the first one.
      await survivor.client.decideApproval(request, as());
      await until(async () => {
        as();
        const { lease, execution } = await world.document(sessionId);
        return lease === null && execution?.state !== "asking";
      });
      const { execution } = await world.document(sessionId);
      if (decision === "approve") {
        assert.equal(execution?.state, "paused");
        const toolResults = [result("call_m", "sent")];
        const done = await readAll(survivor.client.trigger({ ...say(sessionId, ""), toolResults }, as()));
        assert.equal(textOf(done), "Done.");
      } else assert.equal(execution, null);
      const [, answer] = await messagesOf(world, survivor, sessionId);
      const calls = answer?.parts.filter(({ type }) => type === "tool-call") ?? [];
      assert.deepEqual(
        calls.map(({ status }) => status),
        [decision === "approve" ? "done" : "error"],
      );
      assert.equal(answer?.parts.at(-1)?.text, "Done.");
    });
  }
});
