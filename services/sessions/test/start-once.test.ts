import assert from "node:assert/strict";
import { DisconnectPolicy } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { chat, requiresInput } from "./support/definitions.ts";
import { eventsOf, readAll, refusal, result, startWorld } from "./support/harness.ts";
import { all, type Request, readStart, scripted, skipEmpty, startSaying } from "./support/starting.ts";

describe("a repeated start with the same idempotency key", () => {
  const timings = { flushEventsEveryMs: 10, pollEventsEveryMs: 10 };
  /** All events of a short turn are in its session. */
  const rarely = { ...timings, flushEventsEveryMs: 3_600_000 };
  const keyed = (text: string, more: Request = {}) =>
    startSaying(text, {}, { ...scripted, idempotencyKey: "key-1", ...more });

  test("it replays the first one's events on every instance, and the model runs once", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Once." }] }]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const [instance] = instances;
    assert.ok(instance);
    const first = await readStart(instance, world, keyed("hi"));
    assert.equal(first.session?.replayed, false);
    for (const each of instances) {
      const again = await readStart(each, world, keyed("hi"));
      assert.deepEqual([again.json, again.numbers], [first.json, first.numbers]);
      assert.deepEqual(again.session, { ...first.session, replayed: true });
    }
    assert.equal(world.provider.requests.length, 1);
    assert.equal(await world.sessions.countDocuments(), 1);
  });

  test("it follows a running turn live, and its departure changes nothing", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [
      { parts: [{ text: "First " }, { until: hold.promise }, { text: "last." }] },
    ]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const [instance] = instances;
    assert.ok(instance);
    const first = readStart(instance, world, keyed("hi"));
    await until("the model is called", () => world.provider.requests.length === 1);
    const leaving = new AbortController();
    const left = instance.client.startSession(keyed("hi"), world.as({}, { signal: leaving.signal }));
    await eventsOf(skipEmpty(left)).next();
    leaving.abort();
    const followers = instances.map((each) => readStart(each, world, keyed("hi")));
    hold.resolve();
    const { json } = await first;
    assert.match(json.at(-1) ?? "", /"finishReason":"stop"/);
    for (const follower of followers) assert.deepEqual((await follower).json, json);
  });

  test("100 concurrent requests to two instances run the model once and get the same events", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Once." }] }]);
    // A hundred readers that poll as often as in the other tests would keep the machine busy.
    const instances = [await world.addInstance(), await world.addInstance()];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const instance = instances[index % 2];
        assert.ok(instance);
        return readStart(instance, world, keyed("hi"));
      }),
    );
    const [one] = responses;
    for (const { json, session } of responses) {
      assert.deepEqual(json, one?.json);
      assert.deepEqual({ ...session, replayed: true }, { ...one?.session, replayed: true });
    }
    assert.equal(responses.filter(({ session }) => !session?.replayed).length, 1);
    assert.equal(world.provider.requests.length, 1);
    assert.equal(await world.sessions.countDocuments(), 1);
  });

  test("the order of keys, whitespace and given defaults make no difference; everything else does", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings });
    const tool = { name: "extra", description: "", inputSchemaJson: '{"a":{"b":1,"c":2}}' };
    const body = {
      agentId: "agt_chat",
      inputJson: '{"SHOP":"Candle","MODEL":"demo/echo"}',
      metadataJson: '{"a":"1","b":"2"}',
      idempotencyKey: "k",
    };
    const trigger = {
      triggerName: "say",
      inputJson: '{"TEXT":"hi"}',
      dynamicTools: [tool],
      sender: { id: "u" },
    };
    const first = await readStart(instance, world, { ...body, trigger });
    const same = {
      ...body,
      inputJson: ' {"MODEL": "demo/echo", "SHOP":"Candle"}',
      metadataJson: '{"b":"2","a":"1"}',
      trigger: {
        ...trigger,
        dynamicTools: [{ ...tool, inputSchemaJson: '{"a":{"c":2.0,"b":1}}' }],
        onDisconnect: DisconnectPolicy.CANCEL,
        usage: false,
      },
    };
    assert.deepEqual((await readStart(instance, world, same)).json, first.json);
    const others: Request[] = [
      { ...body, trigger: { ...trigger, inputJson: '{"TEXT":"hi "}' } },
      { ...body, trigger: { ...trigger, inputJson: '{"TEXT":"hi","MORE":1}' } },
      { ...body, trigger: { ...trigger, triggerName: "greet" } },
      { ...body, trigger: { ...trigger, usage: true } },
      { ...body, trigger: { ...trigger, onDisconnect: DisconnectPolicy.CONTINUE } },
      { ...body, trigger: { ...trigger, sender: { name: "u" } } },
      { ...body, trigger: { ...trigger, dynamicTools: [] } },
      { ...body, trigger: { ...trigger, dynamicTools: [{ ...tool, outputSchemaJson: "{}" }] } },
      { ...body, trigger, metadataJson: '{"a":"1"}' },
      { ...body, trigger, inputJson: '{"SHOP":"Candle"}' },
      { ...body, trigger, agentId: "", agentSlug: "agt-chat" },
    ];
    for (const other of others) {
      const refused = await refusal(readStart(instance, world, other));
      assert.equal(refused.reason, Reason.IDEMPOTENCY_KEY_REUSED, JSON.stringify(other));
    }
    assert.equal(await world.sessions.countDocuments(), 1);
  });

  test("a refused request binds no key, and a malformed key is refused", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings });
    const refused = startSaying("hi", { triggerName: "none" }, { idempotencyKey: "k" });
    assert.equal((await refusal(readStart(instance, world, refused))).reason, Reason.UNKNOWN_TRIGGER);
    const accepted = startSaying("hi", {}, { idempotencyKey: "k" });
    assert.equal((await readStart(instance, world, accepted)).session?.replayed, false);
    for (const key of ["", " ", "a b", "a\n", "\u007f", "ä", "x".repeat(256)]) {
      const { reason } = await refusal(readStart(instance, world, { ...accepted, idempotencyKey: key }));
      assert.equal(reason, Reason.INVALID_IDEMPOTENCY_KEY, JSON.stringify(key));
    }
    for (const key of ["x".repeat(255), "__proto__", "~!$where"]) {
      assert.equal(
        (await readStart(instance, world, { ...accepted, idempotencyKey: key })).session?.replayed,
        false,
      );
    }
  });

  test("agents and projects do not share keys", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance({ timings });
    world.agents.set("agt_other", [chat]);
    world.agents.set("agt_third", [chat], "prj_other");
    const ids = new Set<unknown>();
    for (const [agentId, caller] of [
      ["agt_chat", {}],
      ["agt_other", { agentId: "agt_other" }],
      ["agt_third", { projectId: "prj_other" }],
    ] as const) {
      const request = { ...startSaying("hi"), agentId, idempotencyKey: "k" };
      const [start] = await readAll(client.startSession(request, world.as(caller)));
      ids.add(start?.sessionId);
    }
    assert.equal(ids.size, 3);
    const foreign = { ...startSaying("hi"), idempotencyKey: "k" };
    const limited = client.startSession(foreign, world.as({ agentId: "agt_other" }));
    assert.equal((await refusal(all(limited))).reason, Reason.FORBIDDEN);
    const outside = client.startSession(foreign, world.as({ projectId: "prj_other" }));
    assert.equal((await refusal(all(outside))).reason, Reason.NOT_FOUND);
  });

  test("it still replays when the agent has another version or is archived", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings });
    const request = startSaying("hi", {}, { idempotencyKey: "k" });
    const { json } = await readStart(instance, world, request);
    world.agents.set("agt_chat", [chat, { ...requiresInput, archived: true }]);
    assert.deepEqual((await readStart(instance, world, request)).json, json);
  });

  test("once the events are gone, it names the session and the execution and runs nothing", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Once." }] }]);
    const instance = await world.addInstance({ timings: rarely });
    const first = await readStart(instance, world, keyed("hi"));
    world.clock.advance(16 * 60_000);
    const gone = { ...first.session, replayed: true, eventsGone: true };
    assert.deepEqual(await readStart(instance, world, keyed("hi")), {
      session: gone,
      numbers: [],
      json: [],
      result: undefined,
    });
    world.clock.advance(25 * 3_600_000);
    assert.deepEqual((await readStart(instance, world, keyed("hi"))).session, gone);
    assert.equal(world.provider.requests.length, 1);
  });

  test("once its session was cleared, no reader gets the events of the turn, even if the session is restored at once", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Once." }] }]);
    const instance = await world.addInstance({ timings: rarely });
    const other = await world.addInstance({ timings: rarely });
    const first = await readStart(instance, world, keyed("hi"));
    const { sessionId = "", executionId = "" } = first.session ?? {};
    await instance.client.clearSession({ sessionId }, world.as());
    const restore = { sessionId, inputJson: "{}", messagesJson: "[]" };
    assert.ok((await instance.client.restoreSession(restore, world.as())).restored);
    for (const { client } of [instance, other]) {
      const again = await readStart({ client }, world, keyed("hi"));
      assert.deepEqual([again.session?.replayed, again.session?.eventsGone, again.json], [true, true, []]);
      const events = all(client.resumeExecution({ sessionId, executionId, afterSequence: 0 }, world.as()));
      assert.equal((await refusal(events)).reason, Reason.EVENTS_GONE);
    }
    assert.equal(world.provider.requests.length, 1);
  });

  test("a request that wants the result gets the stored one", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Once." }] }]);
    const instance = await world.addInstance({ timings });
    const first = await readStart(instance, world, keyed("hi", { wantsResult: true }));
    const again = await readStart(instance, world, keyed("hi", { wantsResult: true }));
    assert.deepEqual(again.result, first.result);
    assert.deepEqual(again.json, first.json);
    assert.equal(first.result?.text, "Once.");
  });

  test("once the turn was continued with tool results, it gets the latest response and the whole message, and asks for no call again", async (t) => {
    const call = { id: "call_a", name: "get-order", arguments: { number: "7" } };
    const world = await startWorld(t, [
      { parts: [{ text: "Let me look." }, { toolCalls: [call] }] },
      { parts: [{ text: "It arrived." }] },
    ]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const [instance] = instances;
    assert.ok(instance);
    const { session, json } = await readStart(instance, world, keyed("hi"));
    assert.match(json.join(""), /"tool-request"/);
    const { sessionId = "", executionId = "" } = session ?? {};
    const toolResults = [result("call_a", "arrived")];
    const continued = await all(instance.client.trigger({ sessionId, executionId, toolResults }, world.as()));
    const latest = continued.flatMap(({ events }) => events.map((event) => event.json));
    for (const each of instances) {
      const again = await readStart(each, world, keyed("hi", { wantsResult: true }));
      assert.deepEqual([again.json, again.session], [latest, { ...session, replayed: true }]);
      assert.equal(again.result?.text, "Let me look.It arrived.");
      assert.doesNotMatch(again.json.join(""), /"tool-request"/);
    }
  });
});
