import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { View } from "@muster/proto/sessions";
import { describe, type TestContext, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Event,
  type Instance,
  messagesOf,
  openSession,
  readAll,
  readSession,
  result,
  say,
  scriptedModel,
  startWorld,
} from "./support/harness.ts";
import { asWorkforce, openThread, runResults, runSaying } from "./support/workforce.ts";

const bounded = {
  ...chat,
  protocol: chat.protocol
    .replace("agent:\n", "agent:\n  maxToolOutputTokens: 100\n")
    .replace("description: Looks up an order.", "description: Looks up an order.\n    display: stream")
    .replace("description: Sends a mail.", "description: Sends a mail.\n    display: stream"),
};

const asks: ScriptedStep = {
  parts: [
    {
      toolCalls: [
        { id: "call_a", name: "get-order", arguments: {} },
        { id: "call_b", name: "send-mail", arguments: {} },
      ],
    },
  ],
};
const answers: ScriptedStep = { parts: [{ text: "It has arrived." }] };
const orders = Array.from({ length: 500 }, (_, number) => ({ number, state: "arrived" }));
const failure = {
  toolCallId: "call_b",
  toolName: "",
  outcome: { case: "error" as const, value: "y".repeat(3_000) },
};

async function begin(t: TestContext, steps: ScriptedStep[]) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [bounded]);
  const instance = await world.addInstance();
  return { world, instance };
}

/** The results of the calls that a model has read. */
function readByModel(body: { messages?: unknown } | undefined): string[] {
  const messages = body?.messages as Array<{ role: string; content: string }>;
  return messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
}

const callsOf = ({ parts = [] }: { parts?: Array<{ type: string; [field: string]: unknown }> } = {}) =>
  parts.filter(({ type }) => type === "tool-call");

describe("a result that is longer than its thread's maxToolOutputTokens", () => {
  test("is shown as its model reads it: live, in all formats, in pages and in JSON turns; it is stored whole", async (t) => {
    const { world, instance } = await begin(t, [asks, answers]);
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    await readAll(client.trigger(say(sessionId, "Where is it?"), world.as()));
    const results = {
      ...say(sessionId, ""),
      toolResults: [result("call_a", orders), failure],
      wantsResult: true,
    };
    const events: Event[] = [];
    let turn = "";
    for await (const batch of client.trigger(results, world.as())) {
      events.push(...batch.events.map(({ json }) => JSON.parse(json)));
      turn ||= batch.result?.messageJson ?? "";
    }
    const [read, readError] = readByModel(world.provider.requests[1]?.body);
    assert.match(read ?? "", /^\[\{"number":0.*\n\[… \d+ characters omitted …\]\n.*\}\]$/s);
    assert.ok((read?.length ?? 0) < 500 && (readError?.length ?? 0) < 500);
    const live = (wanted: string) => events.find(({ type }) => type === wanted);
    assert.equal(live("tool-output-available")?.output, read);
    assert.equal(live("tool-output-error")?.error, readError);
    for (const request of [{ view: View.UI }, { view: View.FULL }, { view: View.UI, limit: 1 }]) {
      const { messages } = await readSession(client, { sessionId, ...request }, world.as());
      const [order, mail] = callsOf(messages.at(-1));
      assert.deepEqual([order?.result, mail?.error], [read, readError]);
    }
    const [order, mail] = callsOf(JSON.parse(turn));
    assert.deepEqual([order?.result, mail?.error], [read, readError]);
    const { tail } = await world.document(sessionId);
    assert.ok(tail?.includes(JSON.stringify(orders)));
  });

  test("reads the same for users and models after what users saw of it, or all of it, was restored", async (t) => {
    const { world, instance } = await begin(t, [asks, answers, answers, answers]);
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    await readAll(client.trigger(say(sessionId, "Where is it?"), world.as()));
    await readAll(
      client.trigger({ ...say(sessionId, ""), toolResults: [result("call_a", orders)] }, world.as()),
    );
    const seen = await messagesOf(world, instance, sessionId);
    const [read] = readByModel(world.provider.requests[1]?.body);
    const whole = structuredClone(seen);
    for (const call of callsOf(whole[1])) if (call.toolName === "get-order") call.result = orders;
    const inputJson = JSON.stringify({ MODEL: scriptedModel });
    for (const kept of [seen, whole]) {
      await client.clearSession({ sessionId }, world.as());
      await client.restoreSession({ sessionId, inputJson, messagesJson: JSON.stringify(kept) }, world.as());
      assert.deepEqual(callsOf((await messagesOf(world, instance, sessionId))[1])[0]?.result, read);
      await readAll(client.trigger(say(sessionId, "And now?"), world.as()));
      assert.equal(readByModel(world.provider.requests.at(-1)?.body)[0], read);
    }
  });

  test("is shown whole in the threads of workforce agents, live and on re-read", async (t) => {
    const { world, instance } = await begin(t, [asks, answers]);
    const { client } = instance;
    const sessionId = await openThread(world, instance);
    await readAll(
      client.trigger(runSaying(sessionId, "Where is it?", { requestId: "r1" }), asWorkforce(world)),
    );
    const more = runResults(sessionId, [result("call_a", orders)], { requestId: "r2" });
    const events = await readAll(client.trigger(more, asWorkforce(world)));
    assert.deepEqual(events.find(({ type }) => type === "tool-output-available")?.output, orders);
    const { messages } = await readSession(
      client as Instance["client"],
      { sessionId, view: View.UI },
      asWorkforce(world),
    );
    assert.deepEqual(callsOf(messages.at(-1))[0]?.result, orders);
    assert.ok((readByModel(world.provider.requests[1]?.body)[0]?.length ?? 0) < 500);
  });
});
