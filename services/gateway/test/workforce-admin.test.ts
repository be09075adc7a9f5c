import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createInProcessBus } from "@muster/events";
import { Reason, rpcError } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { describe, type TestContext, test } from "vitest";
import { type Edge, makeKey, type ScriptedWorkforce, startEdge } from "./support/start-edge.ts";

const agents = "/api/admin/workforce/agents";
const lou = `${agents}/agt_lou`;

function startAdminEdge(t: TestContext, workforce: ScriptedWorkforce = {}): Promise<Edge> {
  return startEdge(t, {}, {}, silentLogger, createInProcessBus({ log: silentLogger }), workforce);
}

const hired = {
  agent: {
    ...{ id: "agt_lou", name: "Lou", status: "idle", queuedThreads: 0, capabilities: { search: true } },
    computer: { kind: "sandbox", os: "linux", state: "none" },
    hiredFrom: { slug: "log-analyst", version: 2 },
  },
  projectId: "default",
  paused: false,
  settings: { model: "a/b", capabilities: {} },
  limits: { monthlyUsd: "12.5", monthlyTokens: 0n },
  approvals: { refund: "ask" },
  createdAt: timestampFromMs(0),
  definitionId: "",
  definitionVersion: 2,
  ...{ slug: "lou", revision: 4, managed: true, inputJson: '{"TOPIC":"logs"}' },
};

const shown = {
  ...{ agentId: "agt_lou", name: "Lou", status: "idle", unavailableReason: null },
  ...{ currentThreadId: null, queuedThreads: 0, capabilities: { search: true } },
  computer: { kind: "sandbox", os: "linux", state: "none" },
  definition: { slug: "log-analyst", version: 2 },
  ...{ slug: "lou", revision: 4, managed: true, input: { TOPIC: "logs" } },
  ...{ projectId: "default", definitionId: null, definitionVersion: 2, paused: false },
  settings: { model: "a/b", capabilities: {} },
  limits: { monthlyUsd: 12.5, monthlyTokens: 0, monthlyRuns: null },
  approvals: { refund: "ask" },
  createdAt: "1970-01-01T00:00:00.000Z",
};

const warnings = [
  {
    path: "tools.look",
    message:
      "Nothing executes the tool look in a run, so its calls fail. Remove it, or have the agent use its computer.",
  },
];

describe("hiring", () => {
  test("passes on the whole body with its defaults, and returns the agent with its key, which must not be cached", async (t) => {
    const received: unknown[] = [];
    const edge = await startAdminEdge(t, {
      hireAgent: async ({
        name,
        definition,
        computer,
        settings,
        capabilities,
        limits,
        approvals,
        inputJson,
      }) => {
        const { kind, os } = computer ?? {};
        const { monthlyUsd, monthlyTokens, monthlyRuns } = limits ?? {};
        const { model } = settings ?? {};
        const given = { name, definition, kind, os, model, capabilities, approvals, inputJson };
        received.push({ ...given, limits: [monthlyUsd, monthlyTokens, monthlyRuns] });
        return { agent: hired, key: "svc_agt_x", unexecutedTools: name === "Lou" ? ["look"] : [] };
      },
    });
    const answer = await edge.call("POST", agents, { body: { name: "Lou", prebuilt: "log-analyst" } });
    assert.deepEqual([answer.status, answer.json], [201, { ...shown, warnings, key: "svc_agt_x" }]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const body = {
      ...{ name: "Lou", agentId: "agt_def", computer: { kind: "dedicated" }, settings: { model: "a/b" } },
      ...{ capabilities: { search: false }, input: { A: "b" } },
      limits: { monthlyUsd: 0, monthlyTokens: null, monthlyRuns: 10 },
      approvals: { refund: "deny" },
    };
    assert.equal((await edge.call("POST", agents, { body })).status, 201);
    assert.deepEqual(received, [
      {
        ...{
          name: "Lou",
          definition: { case: "prebuilt", value: "log-analyst" },
          kind: "sandbox",
          os: "linux",
        },
        ...{ model: undefined, capabilities: {}, limits: [undefined, undefined, undefined], inputJson: "" },
        approvals: {},
      },
      {
        ...{
          name: "Lou",
          definition: { case: "definitionId", value: "agt_def" },
          kind: "dedicated",
          os: "linux",
        },
        ...{
          model: "a/b",
          capabilities: { search: false },
          limits: ["0", undefined, 10],
          inputJson: '{"A":"b"}',
          approvals: { refund: "deny" },
        },
      },
    ]);
  });

  test("with a wrong body is 400 and names the field, and hires no agent", async (t) => {
    const edge = await startAdminEdge(t);
    const ok = { name: "Lou", prebuilt: "log-analyst" };
    const cases: Array<[body: unknown, path: string]> = [
      [{}, "name"],
      [{ name: "Lou" }, "agentId"],
      [{ ...ok, agentId: "agt_1" }, "agentId"],
      [{ ...ok, name: "" }, "name"],
      [{ ...ok, name: "n".repeat(101) }, "name"],
      [{ ...ok, prebuilt: "" }, "prebuilt"],
      [{ ...ok, computer: "sandbox" }, "computer"],
      [{ ...ok, computer: { kind: 1 } }, "computer.kind"],
      [{ ...ok, settings: { thinking: "maybe" } }, "settings.thinking"],
      [{ ...ok, capabilities: { search: 1 } }, "capabilities.search"],
      [{ ...ok, limits: { monthlyUsd: -1 } }, "limits.monthlyUsd"],
      [{ ...ok, limits: { monthlyUsd: "1" } }, "limits.monthlyUsd"],
      [{ ...ok, limits: { monthlyTokens: 1.5 } }, "limits.monthlyTokens"],
      [{ ...ok, limits: { monthlyRuns: 5_000_000_000 } }, "limits.monthlyRuns"],
      [{ ...ok, approvals: { refund: "allow" } }, "approvals.refund"],
      [{ ...ok, approvals: ["refund"] }, "approvals"],
      [{ ...ok, input: [] }, "input"],
    ];
    for (const [body, path] of cases) {
      const { status, json } = await edge.call("POST", agents, { body });
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], JSON.stringify(body).slice(0, 80));
      assert.equal(json.issues[0].path, path, JSON.stringify(json));
    }
  });

  test("keeps the service's refusals: an unknown agent, a model that cannot run, an undeclared capability", async (t) => {
    let reason: Parameters<typeof rpcError>[0] = Reason.NOT_FOUND;
    const edge = await startAdminEdge(t, {
      hireAgent: async () =>
        Promise.reject(rpcError(reason, "No.", { issues: [{ path: "x", message: "no" }] })),
    });
    const expected = [
      [Reason.NOT_FOUND, 404, "NOT_FOUND"],
      [Reason.INVALID_REQUEST, 400, "INVALID_REQUEST"],
      [Reason.INVALID_INPUT, 400, "INVALID_INPUT"],
      [Reason.MODEL_NOT_RUNNABLE, 400, "MODEL_NOT_RUNNABLE"],
      [Reason.CAPABILITY_NOT_DECLARED, 400, "CAPABILITY_NOT_DECLARED"],
      [Reason.AGENT_ARCHIVED, 409, "AGENT_ARCHIVED"],
    ] as const;
    for (const [next, status, code] of expected) {
      reason = next;
      const answer = await edge.call("POST", agents, { body: { name: "Lou", agentId: "agt_def" } });
      assert.deepEqual([answer.status, answer.json.code], [status, code]);
    }
  });
});

test("workforce agents are listed page by page, read and deleted", async (t) => {
  const pages: unknown[] = [];
  const edge = await startAdminEdge(t, {
    listAgents: async ({ pageSize, cursor }) => {
      pages.push([pageSize, cursor]);
      return { agents: [hired], nextCursor: cursor === "" ? "more" : "" };
    },
    readHiredAgent: async () => ({ agent: { ...hired, definitionId: "agt_def" } }),
    deleteAgent: async () => ({}),
  });
  assert.deepEqual((await edge.call("GET", agents)).json, { agents: [shown], nextCursor: "more" });
  assert.equal((await edge.call("GET", `${agents}?limit=3&cursor=more`)).json.nextCursor, null);
  assert.deepEqual(pages, [
    [0, ""],
    [3, "more"],
  ]);
  assert.deepEqual((await edge.call("GET", lou)).json, { ...shown, definitionId: "agt_def" });
  assert.deepEqual((await edge.call("DELETE", lou)).json, { agentId: "agt_lou", deleted: true });
  for (const query of ["limit=0", "limit=101", "cursor="])
    assert.equal((await edge.call("GET", `${agents}?${query}`)).status, 400, query);
});

test("a change passes on what the body says and nothing else; null removes a limit and all rules", async (t) => {
  const received: unknown[] = [];
  const versions: number[] = [];
  const rules: unknown[] = [];
  const edge = await startAdminEdge(t, {
    updateAgent: async ({ agentId, name, paused, version, settings, capabilities, limits, approvals }) => {
      rules.push(approvals?.rules);
      if (version !== undefined) {
        versions.push(version);
        return { agent: hired, unexecutedTools: ["look"] };
      }
      const { monthlyUsd, monthlyTokens, monthlyRuns } = limits ?? {};
      const changes = [monthlyUsd, monthlyTokens, monthlyRuns];
      received.push([agentId, name, paused, settings?.thinking, capabilities, limits && changes]);
      return { agent: { ...hired, paused: true } };
    },
  });
  const change = async (body: unknown) => {
    const { status, json } = await edge.call("PATCH", lou, { body });
    return [status, json.paused ?? json.issues?.[0].path];
  };
  assert.deepEqual(await change({}), [200, true]);
  assert.deepEqual(await change({ paused: true, name: "Lu", settings: { thinking: "max" } }), [200, true]);
  const limits = { monthlyUsd: null, monthlyTokens: 7, monthlyRuns: null };
  assert.deepEqual(await change({ capabilities: { search: false }, limits }), [200, true]);
  assert.deepEqual(await change({ limits: { monthlyUsd: 0.1 } }), [200, true]);
  assert.deepEqual(received, [
    ["agt_lou", undefined, undefined, undefined, {}, undefined],
    ["agt_lou", "Lu", true, "max", {}, undefined],
    ["agt_lou", undefined, undefined, undefined, { search: false }, ["", "7", ""]],
    ["agt_lou", undefined, undefined, undefined, {}, ["0.1", undefined, undefined]],
  ]);
  rules.length = 0;
  for (const approvals of [{ refund: "ask" }, {}, null])
    assert.deepEqual(await change({ approvals }), [200, true]);
  assert.deepEqual(rules, [{ refund: "ask" }, {}, {}]);
  const moved = await edge.call("PATCH", lou, { body: { version: "latest" } });
  assert.deepEqual([moved.status, moved.json], [200, { ...shown, warnings }]);
  assert.equal((await edge.call("PATCH", lou, { body: { version: 3 } })).status, 200);
  assert.deepEqual(versions, [0, 3]);
  for (const version of [0, -1, 1.5, "newest", "3", 5_000_000_000])
    assert.deepEqual(await change({ version }), [400, "version"], String(version));
  assert.deepEqual(await change({ paused: "yes" }), [400, "paused"]);
  assert.deepEqual(await change({ name: "" }), [400, "name"]);
  assert.deepEqual(await change({ limits: { monthlyRuns: -1 } }), [400, "limits.monthlyRuns"]);
  assert.deepEqual(await change({ settings: null }), [400, "settings"]);
  assert.deepEqual(await change({ approvals: { refund: "allow" } }), [400, "approvals.refund"]);
});

test("If-Match of a change and of a deletion reaches the service, and its revision is the ETag", async (t) => {
  const expected: unknown[] = [];
  const edge = await startAdminEdge(t, {
    readHiredAgent: async () => ({ agent: hired }),
    updateAgent: async ({ expectedRevisions }) => {
      expected.push(expectedRevisions);
      return { agent: hired };
    },
    deleteAgent: async ({ expectedRevisions }) => {
      expected.push(expectedRevisions);
      throw rpcError(Reason.VERSION_MISMATCH, "No.");
    },
  });
  const change = (header: string) =>
    edge.call("PATCH", lou, { body: { managed: true }, headers: { "if-match": header } });
  for (const header of ["*", '"4"', '"3", "4"', 'W/"4"', '"x"']) {
    const { status, headers } = await change(header);
    assert.deepEqual([status, headers.get("etag")], [200, '"4"'], header);
  }
  const refused = await edge.call("DELETE", lou, { headers: { "if-match": '"3"' } });
  assert.deepEqual([refused.status, refused.json.code], [412, "VERSION_MISMATCH"]);
  assert.deepEqual(expected, [[], [4], [3, 4], [0], [0], [3]]);
  const malformed = await change("4");
  assert.deepEqual([malformed.status, malformed.json.issues[0].path], [400, "headers.if-match"]);
  assert.equal((await edge.call("GET", lou)).headers.get("etag"), '"4"');
});

test("keys of a workforce agent are created, listed without their secrets, and deleted", async (t) => {
  const key = { id: "key_1", name: "CI", createdAt: timestampFromMs(0) };
  const expireTimes: unknown[] = [];
  const edge = await startAdminEdge(t, {
    createAgentKey: async ({ expiresAt }) => {
      expireTimes.push(expiresAt?.seconds);
      return { key: { ...key, ...(expiresAt && { expiresAt }) }, secret: "svc_agt_x" };
    },
    listAgentKeys: async () => ({ keys: [{ ...key, lastUsedAt: timestampFromMs(60_000) }] }),
    deleteAgentKey: async () => ({}),
  });
  const create = (body: unknown) => edge.call("POST", `${lou}/keys`, { body });
  const stored = { id: "key_1", name: "CI", createdAt: "1970-01-01T00:00:00.000Z" };
  const made = await create({ name: "CI" });
  assert.deepEqual([made.status, made.json], [201, { ...stored, expiresAt: null, key: "svc_agt_x" }]);
  assert.equal(made.headers.get("cache-control"), "no-store");
  const expiring = await create({ name: "CI", expiresAt: "2030-01-31T01:00:00+01:00" });
  assert.equal(expiring.json.expiresAt, "2030-01-31T00:00:00.000Z");
  assert.deepEqual(expireTimes, [undefined, 1_896_048_000n]);
  for (const body of [
    {},
    { name: "" },
    { name: "CI", expiresAt: "soon" },
    { name: "CI", expiresAt: "2030-02-30T00:00:00Z" },
  ])
    assert.equal((await create(body)).status, 400, JSON.stringify(body));
  const { json } = await edge.call("GET", `${lou}/keys`);
  assert.deepEqual(json, {
    keys: [{ ...stored, expiresAt: null, lastUsedAt: "1970-01-01T00:01:00.000Z" }],
  });
  const deleted = await edge.call("DELETE", `${lou}/keys/key_1`);
  assert.deepEqual(deleted.json, { id: "key_1", deleted: true });
});

test("the queue has the current thread, or null, and those that wait in their order", async (t) => {
  let currentThreadId: string | undefined = "thr_1";
  const edge = await startAdminEdge(t, {
    getQueue: async () => ({
      ...(currentThreadId && { currentThreadId }),
      queued: [{ threadId: "thr_2", position: 1, createdAt: timestampFromMs(0) }],
    }),
  });
  const queued = [{ threadId: "thr_2", position: 1, createdAt: "1970-01-01T00:00:00.000Z" }];
  assert.deepEqual((await edge.call("GET", `${lou}/queue`)).json, { current: "thr_1", queued });
  currentThreadId = undefined;
  assert.equal((await edge.call("GET", `${lou}/queue`)).json.current, null);
});

test("a key for a workforce agent is made through the keys of the project, with the permission workforce alone", async (t) => {
  const edge = await startAdminEdge(t, {
    readHiredAgent: async ({ agentId }) => {
      if (agentId === "agt_lou") return { agent: hired };
      throw rpcError(Reason.NOT_FOUND, "The agent does not exist in this project.");
    },
  });
  const make = async (permissions: string[], agentId: string) => {
    const body = { name: "k", permissions, agentId };
    const { status, json } = await edge.call("POST", "/api/admin/keys", { body });
    return [status, json.agentId ?? json.issues?.[0].path];
  };
  assert.deepEqual(await make(["workforce"], "agt_lou"), [201, "agt_lou"]);
  assert.deepEqual(await make(["workforce"], "agt_none"), [400, "agentId"]);
  assert.deepEqual(await make(["workforce", "sessions"], "agt_lou"), [400, "agentId"]);
  assert.deepEqual(await make(["sessions"], "agt_lou"), [400, "agentId"]);
});

test("a key that manages agents reads and steers the threads of all of them", async (t) => {
  const received: unknown[] = [];
  const take = (method: string) => async (request: object) => {
    const { agentId, threadId, message } = { agentId: "", threadId: "", message: "", ...request };
    received.push([method, agentId, threadId || message]);
    return { threadId: "thr_1", status: "running" };
  };
  const edge = await startAdminEdge(t, {
    readHiredAgent: async () => ({ agent: hired }),
    startThread: take("start"),
    followUp: take("follow-up"),
    cancelThread: take("cancel"),
    withdrawThread: take("withdraw"),
    getThread: async ({ agentId, threadId }) => {
      received.push(["read", agentId, threadId]);
      return { tag: "1", thread: { id: threadId, status: "running", messagesJson: "[]" } };
    },
    listThreads: async ({ agentId, status, pageSize }) => {
      received.push(["list", agentId, `${status}${pageSize}`]);
      const thread = { id: "thr_1", agentId: "agt_lou", title: "Go", createdAt: timestampFromMs(0) };
      return { threads: [{ ...thread, status: "failed" }], nextCursor: "more" };
    },
  });
  const { key } = await makeKey(edge, { permissions: ["workforce"] });
  const threads = `${lou}/threads`;
  const calls: Array<[method: string, path: string, status: number, message?: string]> = [
    ["POST", threads, 201, "Go"],
    ["POST", `${threads}/thr_1/messages`, 202, "More"],
    ["POST", `${threads}/thr_1/cancel`, 200],
    ["DELETE", `${threads}/thr_1`, 200],
    ["GET", `${threads}/thr_1`, 200],
    ["GET", threads, 200],
  ];
  for (const [method, path, status, message] of calls) {
    const answer = await edge.call(method, path, { key, ...(message && { body: { message } }) });
    assert.equal(answer.status, status, `${method} ${path}`);
  }
  const { json } = await edge.call("GET", "/api/admin/workforce/threads?status=failed&limit=3", { key });
  assert.deepEqual(json, {
    threads: [
      {
        ...{ agentId: "agt_lou", threadId: "thr_1", status: "failed", title: "Go" },
        ...{ createdAt: "1970-01-01T00:00:00.000Z", completedAt: null, waitingFor: null },
      },
    ],
    nextCursor: "more",
  });
  assert.deepEqual(received, [
    ["start", "agt_lou", "Go"],
    ["follow-up", "agt_lou", "thr_1"],
    ["cancel", "agt_lou", "thr_1"],
    ["withdraw", "agt_lou", "thr_1"],
    ["read", "agt_lou", "thr_1"],
    ["list", "agt_lou", "0"],
    ["list", "", "failed3"],
  ]);
  const { key: own } = await makeKey(edge, { permissions: ["workforce"], agentId: "agt_lou" });
  assert.equal((await edge.call("GET", threads, { key: own })).status, 403);
});
