import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { lou, plainProtocol } from "./support/fake-services.ts";
import { refusal, startWithAgent, startWorld } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

const ofProject = { case: "definitionId" as const, value: lou };
const prebuilt = { case: "prebuilt" as const, value: "log-analyst" };

describe("hiring", () => {
  test("an agent of the project is hired with its settings, and its key acts on it", async (t) => {
    const { world, client, agentId, own, key } = await startWithAgent(t, {
      settings: { model: "demo/other", thinking: "high" },
      capabilities: { "web-search": true },
      limits: { monthlyUsd: "2.50", monthlyTokens: 10n, monthlyRuns: 3 },
      approvals: { refund: "ask" },
      inputJson: '{"TOPIC":"logs"}',
    });
    const { agent } = await client.readHiredAgent({ agentId }, world.as());
    assert.match(agentId, /^agt_/);
    assert.equal(agent?.definitionId, lou);
    assert.deepEqual([agent?.settings?.model, agent?.settings?.thinking], ["demo/other", "high"]);
    assert.deepEqual([agent?.limits?.monthlyUsd, agent?.limits?.monthlyTokens], ["2.50", 10n]);
    assert.deepEqual(agent?.approvals, { refund: "ask" });
    const shown = (await client.getAgent({ agentId }, own)).agent;
    assert.deepEqual(
      [shown?.name, shown?.status, shown?.queuedThreads, shown?.currentThreadId, shown?.hiredFrom],
      ["Lou", "idle", 0, undefined, undefined],
    );
    assert.deepEqual(
      [shown?.computer?.kind, shown?.computer?.os, shown?.computer?.state],
      ["sandbox", "linux", "none"],
    );
    assert.deepEqual(shown?.capabilities, { "web-search": true, shell: true });
    assert.equal((await world.agents.find(key))?.input, '{"TOPIC":"logs"}');
    assert.deepEqual(
      [...world.fake.keys.values()].map((each) => each.agentId),
      [agentId],
    );
  });

  test("a pre-built agent is hired by its slug and shows its version", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    const { agent, key } = await client.hireAgent({ name: "Lou", definition: prebuilt }, world.as());
    assert.match(key, /^svc_agt_/);
    assert.deepEqual(
      [agent?.definitionId, agent?.agent?.hiredFrom?.slug, agent?.agent?.hiredFrom?.version],
      ["", "log-analyst", 1],
    );
  });

  test("an agent without a key does not exist", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    world.fake.down.add("auth");
    const refused = await refusal(client.hireAgent({ name: "Lou", definition: prebuilt }, world.as()));
    assert.equal(refused.reason, Reason.UNAVAILABLE);
    assert.deepEqual((await client.listAgents({}, world.as())).agents, []);
  });

  test("every bad field is refused by name, and nothing is stored", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    const { fake } = world;
    fake.protocols.set(
      "agt_two",
      plainProtocol.replace("FILES: {", "OTHER: { type: string, description: Too much. }\n      FILES: {"),
    );
    fake.protocols.set("agt_number", plainProtocol.replace("TASK: { type: string", "TASK: { type: number"));
    fake.protocols.set(
      "agt_choice",
      plainProtocol.replace("TASK: { type: string", "TASK: { type: string, enum: [a, b]"),
    );
    fake.protocols.set("agt_other", plainProtocol.replaceAll("user-message", "ask"));
    fake.protocols.set("agt_old", plainProtocol);
    fake.archived.add("agt_old");
    fake.broken.set("demo/broken", "demo/broken has no key.");
    const base = { name: "Lou", definition: ofProject };
    const own = (value: string) => ({ ...base, definition: { case: "definitionId" as const, value } });
    const rows: Array<[object, Reason, string[]]> = [
      [{ ...base, name: "" }, Reason.INVALID_REQUEST, ["name"]],
      [{ ...base, slug: "Log_reader" }, Reason.INVALID_REQUEST, ["slug"]],
      [{ ...base, name: "a\nb" }, Reason.INVALID_REQUEST, ["name"]],
      [{ ...base, name: "x".repeat(101) }, Reason.INVALID_REQUEST, ["name"]],
      [{ name: "Lou" }, Reason.INVALID_REQUEST, ["agentId"]],
      [own(""), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_none"), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_two"), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_number"), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_choice"), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_other"), Reason.INVALID_REQUEST, ["agentId"]],
      [own("agt_old"), Reason.AGENT_ARCHIVED, []],
      [
        { ...base, definition: { case: "prebuilt", value: "log-analist" } },
        Reason.INVALID_REQUEST,
        ["prebuilt"],
      ],
      [{ ...base, computer: { kind: "toaster", os: "linux" } }, Reason.INVALID_REQUEST, ["computer.kind"]],
      [{ ...base, computer: { kind: "sandbox", os: "windows" } }, Reason.INVALID_REQUEST, ["computer.os"]],
      [
        { ...base, settings: { model: "gpt", thinking: "hard" } },
        Reason.INVALID_REQUEST,
        ["settings.model", "settings.thinking"],
      ],
      [{ ...base, settings: { model: "demo/broken" } }, Reason.MODEL_NOT_RUNNABLE, ["settings.model"]],
      [
        { ...base, capabilities: { "web-serch": true } },
        Reason.CAPABILITY_NOT_DECLARED,
        ["capabilities.web-serch"],
      ],
      [
        { ...base, settings: { capabilities: { constructor: true } } },
        Reason.CAPABILITY_NOT_DECLARED,
        ["settings.capabilities.constructor"],
      ],
      [{ ...base, limits: { monthlyUsd: "-3" } }, Reason.INVALID_REQUEST, ["limits.monthlyUsd"]],
      [
        { ...base, approvals: { refund: "allow", "a b": "ask" } },
        Reason.INVALID_REQUEST,
        ["approvals.refund", "approvals.a b"],
      ],
      [{ ...base, inputJson: "[]" }, Reason.INVALID_REQUEST, ["input"]],
      [{ ...base, inputJson: '{"TOPIK":"x"}' }, Reason.INVALID_INPUT, ["input.TOPIK"]],
    ];
    for (const [request, reason, paths] of rows) {
      const refused = await refusal(client.hireAgent(request, world.as()));
      const label = JSON.stringify(request);
      assert.equal(refused.reason, reason, label);
      assert.deepEqual(
        refused.issues.map(({ path }) => path),
        paths,
        label,
      );
    }
    assert.deepEqual((await client.listAgents({}, world.as())).agents, []);
    assert.equal(fake.keys.size, 0);
  });
});

describe("managing agents", () => {
  test("a slug is derived from the name, or chosen; it is unique, never changes, and is free after a deletion", async (t) => {
    const { world, client, agentId } = await startWithAgent(t, { name: "Log Reader, Night" });
    const hire = async (fields: object) => {
      const request = { name: "Log reader: night", definition: ofProject, ...fields };
      return (await client.hireAgent(request, world.as())).agent;
    };
    const slugOf = async (id = "") => (await client.readHiredAgent({ agentId: id }, world.as())).agent?.slug;
    const second = await hire({});
    const third = await hire({ name: "夜" });
    const idOf = (agent = second) => agent?.agent?.id ?? "";
    assert.equal(await slugOf(agentId), "log-reader-night");
    assert.equal(second?.slug, `log-reader-night-${idOf(second).slice(-8)}`);
    assert.equal(third?.slug, idOf(third).replace("_", "-"));
    const taken = await refusal(hire({ slug: "log-reader-night" }));
    assert.equal(taken.reason, Reason.SLUG_TAKEN);
    assert.deepEqual(
      [...world.fake.keys.values()].map((key) => key.agentId),
      [agentId, idOf(second), idOf(third)],
    );
    await client.deleteAgent({ agentId }, world.as());
    assert.equal((await hire({ slug: "log-reader-night" }))?.slug, "log-reader-night");
    await world.collection("agents").updateOne({ slug: second?.slug }, { $unset: { slug: "" } });
    assert.equal(await slugOf(idOf(second)), idOf(second).replace("_", "-"));
  });

  test("a change of an unexpected revision changes and deletes nothing", async (t) => {
    const { world, client, agentId } = await startWithAgent(t, { managed: true });
    const change = async (fields: object) =>
      (await client.updateAgent({ agentId, ...fields }, world.as())).agent;
    const changed = await change({ name: "Ada", expectedRevisions: [4, 1] });
    assert.deepEqual([changed?.revision, changed?.managed], [2, true]);
    for (const expectedRevisions of [[1], [3, 0]]) {
      const unchanged = await refusal(change({ name: "Eve", expectedRevisions }));
      const kept = await refusal(client.deleteAgent({ agentId, expectedRevisions }, world.as()));
      for (const { reason } of [unchanged, kept]) assert.equal(reason, Reason.VERSION_MISMATCH);
    }
    const handed = await change({ managed: false });
    assert.deepEqual([handed?.agent?.name, handed?.revision, handed?.managed], ["Ada", 3, false]);
    await client.deleteAgent({ agentId, expectedRevisions: [3] }, world.as());
    await client.deleteAgent({ agentId, expectedRevisions: [3] }, world.as());
  });

  test("changes of different fields do not undo each other, and a removed limit is gone", async (t) => {
    const { world, client, agentId } = await startWithAgent(t, {
      limits: { monthlyUsd: "1", monthlyRuns: 5 },
    });
    await Promise.all([
      client.updateAgent({ agentId, name: "Lulu" }, world.as()),
      client.updateAgent({ agentId, capabilities: { shell: false } }, world.as()),
      client.updateAgent({ agentId, capabilities: { "web-search": true } }, world.as()),
      client.updateAgent({ agentId, limits: { monthlyUsd: "", monthlyTokens: "7" } }, world.as()),
    ]);
    const { agent } = await client.readHiredAgent({ agentId }, world.as());
    assert.equal(agent?.agent?.name, "Lulu");
    assert.deepEqual(agent?.agent?.capabilities, { shell: false, "web-search": true });
    const { $typeName: _, ...limits } = agent?.limits ?? {};
    assert.deepEqual(limits, { monthlyTokens: 7n, monthlyRuns: 5 });
    const undeclared = await refusal(
      client.updateAgent({ agentId, capabilities: { fly: true } }, world.as()),
    );
    assert.equal(undeclared.reason, Reason.CAPABILITY_NOT_DECLARED);
    const wrong = await refusal(
      client.updateAgent({ agentId, name: " ", limits: { monthlyRuns: "many" } }, world.as()),
    );
    assert.deepEqual(
      wrong.issues.map(({ path }) => path),
      ["name", "limits.monthlyRuns"],
    );
  });

  test("new rules of approval replace all earlier ones, and other changes keep them", async (t) => {
    const { world, client, agentId } = await startWithAgent(t, { approvals: { refund: "ask" } });
    const change = async (changes: object) =>
      (await client.updateAgent({ agentId, ...changes }, world.as())).agent?.approvals;
    assert.deepEqual(await change({ name: "Lulu" }), { refund: "ask" });
    const rules = { "shell__*": "deny" };
    assert.deepEqual(await change({ approvals: { rules } }), rules);
    const wrong = await refusal(change({ approvals: { rules: { refund: "allow" } } }));
    assert.deepEqual(wrong.issues[0]?.path, "approvals.refund");
    assert.deepEqual(await change({}), rules);
    assert.deepEqual(await change({ approvals: {} }), {});
  });

  test("an agent moves to another version for its next threads, while earlier ones keep theirs", async (t) => {
    const { world, client, agentId, key, start } = await startWithAgent(t, { inputJson: '{"TOPIC":"logs"}' });
    await client.updateAgent({ agentId, capabilities: { "web-search": true } }, world.as());
    const second = plainProtocol.replaceAll("TASK", "WORK").replace(/ {2}web-search:.*\n/, "");
    world.fake.protocols.set(`${lou}@2`, `${second}tools:\n  look: { description: Looks. }\n`);
    const versionOf = async ({ threadId }: { threadId: string }) => {
      const thread = await world.threads.find({ ...key, threadId });
      return [thread?.definitionVersion, thread?.trigger?.input];
    };
    const move = async (version: number) => {
      const { agent, unexecutedTools } = await client.updateAgent({ agentId, version }, world.as());
      return [agent?.definitionVersion, agent?.agent?.capabilities, unexecutedTools];
    };
    const earlier = await start("one");
    assert.deepEqual(await move(0), [2, { shell: true }, ["look"]]);
    const later = await start("two");
    assert.deepEqual(await versionOf(earlier), [1, "TASK"]);
    assert.deepEqual(await versionOf(later), [2, "WORK"]);
    assert.deepEqual(await move(1), [1, { shell: true, "web-search": true }, []]);
    world.fake.protocols.set(`${lou}@2`, second.replace("TOPIC", "THEME"));
    const rows: Array<[object, Reason, string[]]> = [
      [{ version: 7 }, Reason.INVALID_REQUEST, ["version"]],
      [{ version: 2 }, Reason.INVALID_INPUT, ["input.TOPIC"]],
    ];
    for (const [change, reason, paths] of rows) {
      const refused = await refusal(client.updateAgent({ agentId, ...change }, world.as()));
      assert.deepEqual([refused.reason, refused.issues.map(({ path }) => path)], [reason, paths]);
    }
    world.fake.protocols.set(
      `${lou}@2`,
      second.replace("user-message", "ask").replace("user-message", "ask"),
    );
    const other = await refusal(client.updateAgent({ agentId, version: 0 }, world.as()));
    assert.deepEqual(
      other.issues.map(({ path }) => path),
      ["version"],
    );
    assert.equal((await world.agents.find(key))?.definition.version, 1);
  });

  test("lists are complete, newest first, over any page size", async (t) => {
    const { world, client } = await startWithAgent(t);
    for (let index = 0; index < 6; index++) {
      await client.hireAgent({ name: `Agent ${index}`, definition: prebuilt }, world.as());
    }
    const names: string[] = [];
    let cursor = "";
    do {
      const page = await client.listAgents({ pageSize: 3, cursor }, world.as());
      names.push(...page.agents.map(({ agent }) => agent?.name ?? ""));
      cursor = page.nextCursor;
    } while (cursor !== "");
    assert.equal(names.length, 7);
    assert.equal(new Set(names).size, 7);
    const other = await client.listAgents({}, world.as({ projectId: "prj_other" }));
    assert.deepEqual(other.agents, []);
    for (const bad of [{ cursor: "x" }, { cursor: "%" }, { pageSize: 101 }]) {
      assert.equal((await refusal(client.listAgents(bad, world.as()))).reason, Reason.INVALID_REQUEST);
    }
  });

  test("keys of an agent are created, listed and deleted, and those of another agent look missing", async (t) => {
    const { world, client, agentId } = await startWithAgent(t);
    const second = await client.hireAgent({ name: "Kim", definition: prebuilt }, world.as());
    const otherId = second.agent?.agent?.id ?? "";
    const made = await client.createAgentKey({ agentId, name: "CI" }, world.as());
    assert.match(made.secret, /^svc_agt_/);
    const list = async () =>
      (await client.listAgentKeys({ agentId }, world.as())).keys.map(({ name }) => name);
    assert.deepEqual(await list(), ["First key", "CI"]);
    const keyId = made.key?.id ?? "";
    const elsewhere = await refusal(client.deleteAgentKey({ agentId: otherId, keyId }, world.as()));
    assert.equal(elsewhere.reason, Reason.NOT_FOUND);
    await client.deleteAgentKey({ agentId, keyId }, world.as());
    assert.deepEqual(await list(), ["First key"]);
  });

  test("an agent is found by its slug, with a key of the project and its own", async (t) => {
    const { world, client, agentId, own } = await startWithAgent(t);
    const { slug } = (await client.readHiredAgent({ agentId }, world.as())).agent ?? assert.fail();
    for (const caller of [world.as(), own]) {
      assert.equal((await client.getAgent({ slug }, caller)).agent?.id, agentId);
    }
    const refused = async (named: string, caller: typeof own) =>
      (await refusal(client.getAgent({ slug: named }, caller))).reason;
    assert.equal(await refused("unknown", world.as()), Reason.NOT_FOUND);
    assert.equal(await refused("unknown", own), Reason.FORBIDDEN);
    assert.equal(await refused(slug, world.as({ projectId: "other" })), Reason.NOT_FOUND);
    const { agent } = await client.hireAgent({ name: "Ada", definition: prebuilt }, world.as());
    assert.equal(await refused(agent?.slug ?? "", own), Reason.FORBIDDEN);
  });

  test("a slug that is given as the id of a workforce agent is said to be none", async (t) => {
    const { world, client } = await startWithAgent(t);
    for (const call of [
      () => client.readHiredAgent({ agentId: "lou" }, world.as()),
      () => client.listThreads({ agentId: "lou" }, world.as()),
      () => client.startThread({ agentId: "lou", message: "Hi" }, world.as()),
    ]) {
      const { reason, message } = await refusal(call());
      assert.equal(reason, Reason.NOT_FOUND);
      assert.match(
        message,
        /^"lou" is not the id of a workforce agent, agt_…\. To use its slug, add \?by=slug; GET .* lists both\.$/,
      );
    }
  });

  test("a deleted agent is gone for all callers at once, its run is cancelled, and everything of it is removed", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const first = await start("one");
    const second = await start("two");
    const run = await claimNext(world, agentId);
    await run.begin();
    await client.deleteAgent({ agentId }, world.as());
    for (const call of [
      () => client.getAgent({ agentId }, own),
      () => start("three"),
      () => client.readHiredAgent({ agentId }, world.as()),
    ]) {
      assert.equal((await refusal(call())).reason, Reason.NOT_FOUND);
    }
    assert.equal((await world.threads.find({ ...key, threadId: first.threadId }))?.status, "cancelled");
    assert.equal(world.fake.keys.size, 0);
    await run.free();
    const isGone = async () => !(await world.agents.findAny(key))?.removing;
    await until("everything is removed", isGone);
    for (const { threadId } of [first, second])
      assert.equal(await world.threads.find({ ...key, threadId }), null);
    assert.equal(world.fake.cleared.length, 2);
    await client.deleteAgent({ agentId }, world.as());
    assert.equal(
      (await refusal(client.deleteAgent({ agentId: "agt_none" }, world.as()))).reason,
      Reason.NOT_FOUND,
    );
  });
});

describe("who may do what", () => {
  test("wrong principals are refused on every call, and learn nothing", async (t) => {
    const { world, client, agentId } = await startWithAgent(t);
    const threadId = "thr_1";
    const ofAgents = {
      getAgent: () => client.getAgent({ agentId }, options),
      startThread: () => client.startThread({ agentId, message: "Go" }, options),
      getThread: () => client.getThread({ agentId, threadId }, options),
      listThreads: () => client.listThreads({ agentId }, options),
      followUp: () => client.followUp({ agentId, threadId, message: "Go" }, options),
      cancelThread: () => client.cancelThread({ agentId, threadId }, options),
      withdrawThread: () => client.withdrawThread({ agentId, threadId }, options),
    };
    const ofManagers = {
      hireAgent: () => client.hireAgent({ name: "Lou", definition: prebuilt }, options),
      listAgents: () => client.listAgents({}, options),
      readHiredAgent: () => client.readHiredAgent({ agentId }, options),
      updateAgent: () => client.updateAgent({ agentId, paused: true }, options),
      createAgentKey: () => client.createAgentKey({ agentId, name: "x" }, options),
      listAgentKeys: () => client.listAgentKeys({ agentId }, options),
      deleteAgentKey: () => client.deleteAgentKey({ agentId, keyId: "key_1" }, options),
      getQueue: () => client.getQueue({ agentId }, options),
      deleteAgent: () => client.deleteAgent({ agentId }, options),
    };
    let options = world.as();
    const none = new Set<never>();
    const forbiddenToAll = [
      { permissions: none },
      { permissions: none, agentId },
      { agentId: "agt_other" },
      { tokenId: "tok_1", agentId },
      { sessionId: "ses_1", agentId },
    ];
    for (const principal of forbiddenToAll) {
      options = world.as(principal);
      for (const [name, call] of Object.entries(ofAgents)) {
        assert.equal(
          (await refusal(call())).reason,
          Reason.FORBIDDEN,
          `${name} ${JSON.stringify(principal)}`,
        );
      }
    }
    for (const principal of [
      ...forbiddenToAll,
      { agentId },
      { permissions: new Set(["sessions", "agents"] as const) },
    ]) {
      options = world.as(principal);
      for (const [name, call] of Object.entries(ofManagers)) {
        assert.equal(
          (await refusal(call())).reason,
          Reason.FORBIDDEN,
          `${name} ${JSON.stringify(principal)}`,
        );
      }
    }
    options = world.as({ projectId: "prj_other" });
    const { hireAgent: _, listAgents: __, ...ofOneAgent } = ofManagers;
    for (const [name, call] of Object.entries({ ...ofAgents, ...ofOneAgent })) {
      assert.equal((await refusal(call())).reason, Reason.NOT_FOUND, name);
    }
  });
});
