import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { createInProcessBus } from "@muster/events";
import { Reason, rpcError } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import {
  type CallOptions,
  type Edge,
  exchange,
  makeKey,
  type ScriptedWorkforce,
  startEdge,
} from "./support/start-edge.ts";

/** How long a call may take that does not wait. */
const callTimeoutMs = 15_000;
const agentId = "agt_lou";
const agentPath = `/api/v1/workforce/agents/${agentId}`;
const threads = `${agentPath}/threads`;
const thread = `${threads}/thr_1`;

/** A gateway in front of a scripted workforce service, and requests with a key of its agent. */
async function startWorkforceEdge(t: TestContext, scripted: ScriptedWorkforce = {}) {
  const workforce: ScriptedWorkforce = {
    readHiredAgent: async ({ agentId: id }) => {
      if (id === agentId) return {};
      throw rpcError(Reason.NOT_FOUND, "The agent does not exist in this project.");
    },
    ...scripted,
  };
  const bus = createInProcessBus({ log: silentLogger });
  const edge = await startEdge(t, {}, { callTimeoutMs }, silentLogger, bus, workforce);
  const { key, id } = await makeKey(edge, { permissions: ["workforce"], agentId });
  const call = (method: string, path: string, options: CallOptions = {}) =>
    edge.call(method, path, { key, ...options });
  return { edge, key, keyId: id, call };
}

const codeOf = async (answer: ReturnType<Edge["call"]>) => {
  const { status, json } = await answer;
  return [status, json?.code];
};

const computer = { kind: "sandbox", os: "linux", state: "none" };

describe("the agent", () => {
  test("has every field, with null for absent ones", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getAgent: async () => ({
        agent: { id: agentId, name: "Lou", status: "idle", queuedThreads: 0, computer, capabilities: {} },
      }),
    });
    assert.deepEqual((await call("GET", agentPath)).json, {
      agentId,
      name: "Lou",
      status: "idle",
      unavailableReason: null,
      currentThreadId: null,
      queuedThreads: 0,
      computer,
      definition: null,
      capabilities: {},
    });
  });

  test("shows the definition that it was hired from, why it is unavailable, and its work", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getAgent: async () => ({
        agent: {
          ...{ id: agentId, name: "Lou", status: "unavailable", unavailableReason: "paused" },
          ...{ currentThreadId: "thr_1", queuedThreads: 2, computer },
          hiredFrom: { slug: "log-analyst", version: 3 },
          capabilities: { "web-search": false },
        },
      }),
    });
    const { json } = await call("GET", agentPath);
    assert.deepEqual(
      [json.unavailableReason, json.currentThreadId, json.queuedThreads, json.definition, json.capabilities],
      ["paused", "thr_1", 2, { slug: "log-analyst", version: 3 }, { "web-search": false }],
    );
  });
});

describe("an agent that is named by its slug", () => {
  const named: ScriptedWorkforce = {
    getAgent: async ({ slug }) => {
      if (slug === "lou") return { agent: { id: agentId } };
      throw rpcError(Reason.NOT_FOUND, "No workforce agent of this project has this slug.");
    },
    startThread: async ({ agentId: id }) => ({ threadId: `thr_of_${id}`, status: "pending" }),
    listThreads: async ({ agentId: id, pageSize }) => ({ threads: [], nextCursor: `${id} ${pageSize}` }),
  };

  test("is found by keys of the project and its own, and an unknown slug is 404", async (t) => {
    const { edge, key } = await startWorkforceEdge(t, named);
    for (const [prefix, as] of [
      ["/api/v1", { key }],
      ["/api/admin", {}],
    ] as const) {
      const path = `${prefix}/workforce/agents/lou/threads`;
      const started = await edge.call("POST", `${path}?by=slug`, { body: { message: "Look." }, ...as });
      assert.deepEqual([started.status, started.json.threadId], [201, `thr_of_${agentId}`]);
      const listed = await edge.call("GET", `${path}?by=slug&limit=7`, as);
      assert.equal(listed.json.nextCursor, `${agentId} 7`);
      const unknown = edge.call("GET", `${prefix}/workforce/agents/ada/threads?by=slug`, as);
      assert.deepEqual(await codeOf(unknown), [404, "NOT_FOUND"]);
    }
    for (const query of ["by=name", "by=slug&limit=x"]) {
      const wrong = edge.call("GET", `/api/admin/workforce/agents/lou/threads?${query}`);
      assert.deepEqual(await codeOf(wrong), [400, "INVALID_REQUEST"]);
    }
  });

  test("is accepted by every route of a workforce agent", async (t) => {
    const { edge } = await startWorkforceEdge(t);
    const { paths } = (await edge.call("GET", "/openapi.json")).json;
    const without = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths)
      .filter(([path]) => /\/workforce\/agents\/\{/.test(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, route]) => ({ path, method, route })),
      )
      .filter(({ route }) => route.parameters?.every(({ name }) => name !== "by") ?? true);
    assert.deepEqual(without, []);
  });
});

describe("a dispatch", () => {
  test("passes on everything that the body and the header say, and is 201; a replay is 200 with its header", async (t) => {
    const received: unknown[] = [];
    let replayed = false;
    const { call } = await startWorkforceEdge(t, {
      startThread: async ({ $typeName: _, files, config, ...rest }) => {
        const { $typeName: _name, ...settings } = config ?? { $typeName: "" };
        received.push({ ...rest, files: files.map(({ id, url, size }) => ({ id, url, size })), settings });
        return { threadId: "thr_1", status: "pending", replayed };
      },
    });
    const body = {
      message: "Look.",
      files: [{ id: "file_1", mediaType: "text/plain", url: "https://example.com/a", size: 7 }],
      config: { model: "a/b", thinking: "low", capabilities: { search: false }, record: true },
      ifIdle: true,
      unknown: 1,
    };
    const headers = { "idempotency-key": "build-77" };
    const first = await call("POST", threads, { body, headers });
    assert.deepEqual([first.status, first.json], [201, { threadId: "thr_1", status: "pending" }]);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    replayed = true;
    const second = await call("POST", threads, { body, headers });
    assert.deepEqual([second.status, second.json], [200, first.json]);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    assert.deepEqual(received[0], {
      agentId,
      message: "Look.",
      files: [{ id: "file_1", url: "https://example.com/a", size: 7n }],
      settings: { model: "a/b", thinking: "low", capabilities: { search: false }, record: true },
      ifIdle: true,
      idempotencyKey: "build-77",
    });
  });

  test("a malformed idempotency key is 400 with its own code, and so are two of them", async (t) => {
    const { edge, key, call } = await startWorkforceEdge(t);
    const keys = ["", "a b", "a".repeat(256), "kéy", "a\tb"];
    for (const path of [threads, `${thread}/messages`]) {
      for (const text of keys) {
        const answer = call("POST", path, { body: { message: "m" }, headers: { "idempotency-key": text } });
        assert.deepEqual(await codeOf(answer), [400, "INVALID_IDEMPOTENCY_KEY"], text);
      }
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n`;
      const length = "Content-Type: application/json\r\nContent-Length: 15\r\n";
      const two = `${head}${length}Idempotency-Key: a\r\nIdempotency-Key: a\r\n\r\n{"message":"m"}`;
      assert.match(await exchange(edge.url, two), /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_IDEMPOTENCY_KEY"/);
    }
  });

  test("every refusal keeps its code: a busy agent with its thread, a key in progress with the time to wait", async (t) => {
    const cases: Array<[Parameters<typeof rpcError>[0], Parameters<typeof rpcError>[2], number, string]> = [
      [Reason.AGENT_BUSY, { currentThreadId: "thr_9" }, 409, "AGENT_BUSY"],
      [Reason.AGENT_BUSY, { currentThreadId: null }, 409, "AGENT_BUSY"],
      [Reason.IDEMPOTENCY_KEY_IN_PROGRESS, { retryAfterMs: 1_000 }, 409, "IDEMPOTENCY_KEY_IN_PROGRESS"],
      [Reason.IDEMPOTENCY_KEY_REUSED, {}, 409, "IDEMPOTENCY_KEY_REUSED"],
      [Reason.AGENT_PAUSED, {}, 409, "AGENT_PAUSED"],
      [Reason.QUEUE_FULL, { retryAfterMs: 2_000 }, 429, "QUEUE_FULL"],
      [Reason.MODEL_NOT_RUNNABLE, {}, 400, "MODEL_NOT_RUNNABLE"],
      [
        Reason.CAPABILITY_NOT_DECLARED,
        { issues: [{ path: "config", message: "no" }] },
        400,
        "CAPABILITY_NOT_DECLARED",
      ],
    ];
    let next: Error | undefined;
    const { call } = await startWorkforceEdge(t, {
      startThread: async () => Promise.reject(next),
    });
    for (const [reason, extra, status, code] of cases) {
      next = rpcError(reason, "Because.", extra);
      const answer = await call("POST", threads, { body: { message: "m" } });
      assert.deepEqual([answer.status, answer.json.code, answer.json.error], [status, code, "Because."]);
      if (code === "AGENT_BUSY") assert.equal(answer.json.currentThreadId, extra?.currentThreadId);
      else assert.ok(!("currentThreadId" in answer.json));
      const waits = extra?.retryAfterMs === undefined ? null : String(extra.retryAfterMs / 1_000);
      assert.equal(answer.headers.get("retry-after"), waits);
    }
  });

  const badBodies: Array<[body: unknown, path: string]> = [
    [{}, "message"],
    [{ message: "" }, "message"],
    [{ message: 7 }, "message"],
    [{ message: null }, "message"],
    [{ message: "m".repeat(100_001) }, "message"],
    [{ message: "m", files: "a" }, "files"],
    [
      { message: "m", files: Array.from({ length: 21 }, () => ({ id: "f", mediaType: "a/b", url: "u" })) },
      "files",
    ],
    [{ message: "m", files: [{ id: "f", mediaType: "a/b" }] }, "files.0.url"],
    [{ message: "m", files: [{ id: "f", mediaType: "a/b", url: "u", size: -1 }] }, "files.0.size"],
    [[], ""],
    ["text", ""],
    [null, ""],
  ];
  const badStarts: typeof badBodies = [
    [{ message: "m", ifIdle: "yes" }, "ifIdle"],
    [{ message: "m", config: [] }, "config"],
    [{ message: "m", config: { thinking: "a lot" } }, "config.thinking"],
    [{ message: "m", config: { model: "" } }, "config.model"],
    [{ message: "m", config: { backupModel: 1 } }, "config.backupModel"],
    [{ message: "m", config: { capabilities: { search: "yes" } } }, "config.capabilities.search"],
    [{ message: "m", config: { capabilities: ["search"] } }, "config.capabilities"],
    [{ message: "m", config: { record: 1 } }, "config.record"],
    [{ message: "m", config: { record: true, recordVisibility: 7 } }, "config.recordVisibility"],
  ];

  test("a wrong body is 400 and names the field, and reaches no service", async (t) => {
    const { call } = await startWorkforceEdge(t);
    for (const path of [threads, `${thread}/messages`]) {
      for (const [body, field] of path === threads ? [...badBodies, ...badStarts] : badBodies) {
        const { status, json } = await call("POST", path, { body });
        assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], JSON.stringify(body).slice(0, 80));
        assert.equal(json.issues[0].path, field, JSON.stringify(json));
      }
    }
  });

  test("a message of 100,000 characters is passed on", async (t) => {
    let length = 0;
    const { call } = await startWorkforceEdge(t, {
      startThread: async ({ message }) => {
        length = message.length;
        return { threadId: "thr_1", status: "queued", replayed: false };
      },
    });
    assert.equal((await call("POST", threads, { body: { message: "ü".repeat(100_000) } })).status, 201);
    assert.equal(length, 100_000);
  });
});

test("a follow-up is 202, also a replay, which has its header", async (t) => {
  const { call } = await startWorkforceEdge(t, {
    followUp: async ({ idempotencyKey }) => ({ status: "running", replayed: idempotencyKey === "again" }),
  });
  for (const key of ["first", "again"]) {
    const options = { body: { message: "And then?" }, headers: { "idempotency-key": key } };
    const { status, json, headers } = await call("POST", `${thread}/messages`, options);
    assert.deepEqual([status, json], [202, { threadId: "thr_1", status: "running" }]);
    assert.equal(headers.get("idempotent-replayed"), key === "again" ? "true" : null);
  }
});

test("cancelling and withdrawing return the thread's status, with and without a body", async (t) => {
  const { call } = await startWorkforceEdge(t, {
    cancelThread: async () => ({ status: "cancelled" }),
    withdrawThread: async () => ({ status: "running" }),
  });
  for (const options of [{}, { body: {} }]) {
    const { status, json } = await call("POST", `${thread}/cancel`, options);
    assert.deepEqual([status, json], [200, { threadId: "thr_1", status: "cancelled" }]);
  }
  const { status, json } = await call("DELETE", thread);
  assert.deepEqual([status, json], [200, { threadId: "thr_1", status: "running" }]);
});

test("the list of threads passes on its page, and its end is null", async (t) => {
  const { call } = await startWorkforceEdge(t, {
    listThreads: async ({ pageSize, cursor }) => ({
      threads: [
        {
          id: "thr_2",
          status: "running",
          title: `${pageSize} ${cursor}`,
          createdAt: timestampFromMs(1_000),
        },
        {
          ...{ id: "thr_1", status: "completed", title: "One", createdAt: timestampFromMs(0) },
          completedAt: timestampFromMs(5),
        },
      ],
      nextCursor: cursor === "" ? "more" : "",
    }),
  });
  const first = await call("GET", threads);
  assert.deepEqual(first.json, {
    threads: [
      {
        ...{ threadId: "thr_2", status: "running", title: "0 ", completedAt: null, waitingFor: null },
        createdAt: "1970-01-01T00:00:01.000Z",
      },
      {
        ...{ threadId: "thr_1", status: "completed", title: "One" },
        createdAt: "1970-01-01T00:00:00.000Z",
        completedAt: "1970-01-01T00:00:00.005Z",
        waitingFor: null,
      },
    ],
    nextCursor: "more",
  });
  const last = await call("GET", `${threads}?limit=7&cursor=more`);
  assert.deepEqual([last.json.threads[0].title, last.json.nextCursor], ["7 more", null]);
  for (const query of ["limit=0", "limit=101", "limit=x", "cursor=", `cursor=${"c".repeat(501)}`]) {
    assert.deepEqual(await codeOf(call("GET", `${threads}?${query}`)), [400, "INVALID_REQUEST"], query);
  }
});

const message = {
  ...{ id: "msg_1", role: "user", status: "done", createdAt: "2030-01-31T12:00:00.000Z" },
  parts: [{ type: "text", text: "Look.", status: "done" }],
};

describe("a thread", () => {
  test("has every field, with null for absent ones", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getThread: async () => ({ thread: { id: "thr_1", status: "queued", messagesJson: "[]" }, tag: "1" }),
    });
    const { json, headers } = await call("GET", thread);
    assert.deepEqual(json, {
      threadId: "thr_1",
      status: "queued",
      failureReason: null,
      failureType: null,
      messages: [],
      runConfig: null,
      usage: null,
      recording: null,
      startedAt: null,
      completedAt: null,
      provenance: null,
      waitingFor: null,
      origin: null,
    });
    assert.equal(headers.get("etag"), '"1"');
  });

  test("has its fees as numbers and its times in ISO 8601, and its messages unchanged", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getThread: async () => ({
        thread: {
          ...{ id: "thr_1", status: "blocked", failureReason: "The limit.", failureType: "limit" },
          messagesJson: JSON.stringify([message]),
          runConfig: { model: "a/b", thinking: "auto", capabilities: { search: true } },
          usage: {
            ...{ currency: "USD", costUsd: "0.0123", totalFeeUsd: "0.02", byok: false },
            ...{ inputTokens: 10n, outputTokens: 5n, totalTokens: 15n },
          },
          recording: { status: "requested", visibility: "private" },
          startedAt: timestampFromMs(0),
          completedAt: timestampFromMs(1_500),
          provenance: {
            deployments: [{ deploymentId: "dev", commitSha: "abc", firstSeenAt: timestampFromMs(0) }],
            definition: { slug: "log-analyst", version: 1 },
            computer: { kind: "sandbox", os: "linux", runtimeVersion: "1.0.0" },
          },
          origin: { kind: "schedule", id: "sch_1" },
        },
        tag: "t",
      }),
    });
    assert.deepEqual((await call("GET", thread)).json, {
      ...{ threadId: "thr_1", status: "blocked", failureReason: "The limit.", failureType: "limit" },
      messages: [message],
      runConfig: { model: "a/b", thinking: "auto", capabilities: { search: true } },
      usage: {
        ...{ currency: "USD", costUsd: 0.0123, totalFeeUsd: 0.02, byok: false },
        ...{ inputTokens: 10, outputTokens: 5, totalTokens: 15 },
      },
      recording: { status: "requested", visibility: "private", url: null, error: null },
      startedAt: "1970-01-01T00:00:00.000Z",
      completedAt: "1970-01-01T00:00:01.500Z",
      waitingFor: null,
      origin: { kind: "schedule", id: "sch_1" },
      provenance: {
        platform: {
          deployments: [{ deploymentId: "dev", commitSha: "abc", firstSeenAt: "1970-01-01T00:00:00.000Z" }],
        },
        definition: { slug: "log-analyst", version: 1 },
        computer: {
          ...{ kind: "sandbox", os: "linux", runtimeVersion: "1.0.0", imageVersion: null, region: null },
        },
      },
    });
  });

  test("is read with the address that fresh URLs of its files begin with", async (t) => {
    const asked: string[] = [];
    const { edge, call } = await startWorkforceEdge(t, {
      getThread: async ({ filesBaseUrl }) => {
        asked.push(filesBaseUrl);
        return { thread: { id: "thr_1", status: "running", messagesJson: "[]" }, tag: "a1" };
      },
    });
    assert.equal((await call("GET", thread)).status, 200);
    assert.equal((await call("GET", `${thread}?wait=1`)).status, 200);
    assert.deepEqual(asked, [edge.url, edge.url]);
  });

  test("that is still the same is 304, and only the tag of If-None-Match decides", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getThread: async ({ knownTag }) =>
        knownTag === "a1"
          ? { tag: "a1" }
          : { thread: { id: "thr_1", status: "running", messagesJson: "[]" }, tag: "a1" },
    });
    const cases: Array<[header: string, status: number]> = [
      ['"a1"', 304],
      ['W/"a1"', 304],
      ["*", 304],
      ['"b", "a1"', 304],
      ['"b"', 200],
      ["a1", 200],
      ['"', 200],
    ];
    for (const [header, status] of cases) {
      const answer = await call("GET", thread, { headers: { "if-none-match": header } });
      assert.deepEqual([answer.status, answer.headers.get("etag")], [status, '"a1"'], header);
      if (status === 304) assert.equal(answer.text, "");
    }
  });

  test("is read with a wait from 0 to 30 seconds, which is added to the time that every request has", async (t) => {
    const asked: Array<[waitSeconds: number, limitS: number]> = [];
    const { call } = await startWorkforceEdge(t, {
      getThread: async ({ waitSeconds }, { timeoutMs }) => {
        asked.push([waitSeconds, Math.ceil((timeoutMs() ?? 0) / callTimeoutMs)]);
        return { thread: { id: "thr_1", status: "running", messagesJson: "[]" }, tag: "1" };
      },
    });
    for (const wait of ["0", "5", "30"])
      assert.equal((await call("GET", `${thread}?wait=${wait}`)).status, 200);
    assert.deepEqual(asked, [
      [0, 1],
      [5, 2],
      [30, 3],
    ]);
    for (const wait of ["31", "-1", "1.5", "x", "", "025"]) {
      const { status, json } = await call("GET", `${thread}?wait=${wait}`);
      assert.deepEqual([status, json.issues?.[0].message], [400, "must be a number from 0 to 30"], wait);
    }
  });

  test("stops waiting when the reader leaves, and when the key is deleted", async (t) => {
    let waiting = 0;
    const { edge, key, keyId, call } = await startWorkforceEdge(t, {
      getThread: async (_request, { signal }) => {
        waiting += 1;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        waiting -= 1;
        throw signal.reason;
      },
    });
    const leaving = new AbortController();
    const options = { headers: { authorization: `Bearer ${key}` }, signal: leaving.signal };
    const left = fetch(`${edge.url}${thread}?wait=30`, options).catch(() => "left");
    await until(() => waiting === 1);
    leaving.abort();
    await until(() => waiting === 0);
    assert.equal(await left, "left");
    const refused = call("GET", `${thread}?wait=30`);
    await until(() => waiting === 1);
    await edge.call("DELETE", `/api/admin/keys/${keyId}`);
    assert.deepEqual(await codeOf(refused), [401, "UNAUTHENTICATED"]);
    await until(() => waiting === 0);
  });

  test("that does not exist is 404, also with a malformed id", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      getThread: async () => Promise.reject(rpcError(Reason.NOT_FOUND, "No such thread.")),
    });
    for (const path of [thread, `${threads}/a%2Fb`, `${threads}/%00`, `${threads}/${"t".repeat(101)}`]) {
      assert.deepEqual(await codeOf(call("GET", path)), [404, "NOT_FOUND"], path);
    }
  });
});

describe("the events of a thread", () => {
  const event = (sequence: number, type: string, more = {}) => ({
    sequence,
    type,
    json: JSON.stringify({ type, ...more }),
  });

  test("are numbered, continue after the reader's last one, and end with [DONE]", async (t) => {
    const asked: number[] = [];
    const { call } = await startWorkforceEdge(t, {
      streamThreadEvents: async function* ({ afterSequence }) {
        asked.push(afterSequence);
        yield { events: [event(8, "thread-status", { status: "running" })] };
        yield { events: [event(9, "computer-output", { toolCallId: "c", stream: "stdout", text: "hi\n" })] };
      },
    });
    const { status, text, headers } = await call("GET", `${thread}/events?after=7`);
    assert.equal(status, 200);
    assert.match(headers.get("content-type") ?? "", /^text\/event-stream/);
    assert.equal(
      text,
      [
        'id: 8\ndata: {"type":"thread-status","status":"running"}',
        'id: 9\ndata: {"type":"computer-output","toolCallId":"c","stream":"stdout","text":"hi\\n"}',
        "data: [DONE]\n\n",
      ].join("\n\n"),
    );
    await call("GET", `${thread}/events?after=7`, { headers: { "last-event-id": "8" } });
    await call("GET", `${thread}/events`);
    assert.deepEqual(asked, [7, 8, 0]);
    for (const query of ["after=-1", "after=x", "after=1234567890", "after="])
      assert.deepEqual(
        await codeOf(call("GET", `${thread}/events?${query}`)),
        [400, "INVALID_REQUEST"],
        query,
      );
  });

  test("begin at once with the headers while nothing has happened yet", async (t) => {
    const happens = Promise.withResolvers<void>();
    const { edge, key } = await startWorkforceEdge(t, {
      streamThreadEvents: async function* () {
        yield { events: [] };
        await happens.promise;
        yield { events: [event(1, "thread-status", { status: "completed" })] };
      },
    });
    const response = await fetch(`${edge.url}${thread}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(response.status, 200);
    // No heartbeat has made the headers arrive.
    happens.resolve();
    assert.match(await response.text(), /^id: 1\ndata: .*completed.*\n\ndata: \[DONE\]\n\n$/s);
  });

  for (const [how, lost] of [
    ["stops", () => rpcError(Reason.UNAVAILABLE, "The service is stopping.")],
    ["dies", () => new ConnectError("Connection dropped", Code.Unavailable)],
  ] as const) {
    test(`continue on another process when theirs ${how}, each once and in order`, async (t) => {
      const asked: number[] = [];
      const { call } = await startWorkforceEdge(t, {
        streamThreadEvents: async function* ({ afterSequence }) {
          asked.push(afterSequence);
          if (asked.length === 2) throw lost();
          yield { events: [] };
          if (afterSequence < 9)
            yield { events: [event(afterSequence + 1, "thread-status", { status: "running" })] };
          if (afterSequence < 9) throw lost();
        },
      });
      const { text } = await call("GET", `${thread}/events?after=6`);
      assert.deepEqual(text.match(/^(id: \d+|data: \[DONE\])$/gm), [
        "id: 7",
        "id: 8",
        "id: 9",
        "data: [DONE]",
      ]);
      assert.deepEqual(asked, [6, 7, 7, 8, 9]);
    });
  }

  test("are a stream whatever the Accept header says", async (t) => {
    const { call } = await startWorkforceEdge(t, {
      streamThreadEvents: async function* () {
        yield { events: [event(1, "thread-status", { status: "completed" })] };
      },
    });
    const answer = await call("GET", `${thread}/events`, { headers: { accept: "application/json" } });
    assert.deepEqual(
      [answer.status, answer.headers.get("content-type")],
      [200, "text/event-stream; charset=utf-8"],
    );
  });

  test("that are gone are 410, and those of a missing thread 404", async (t) => {
    let reason: Parameters<typeof rpcError>[0] = Reason.EVENTS_GONE;
    const { call } = await startWorkforceEdge(t, {
      // biome-ignore lint/correctness/useYield: it fails before its first message
      streamThreadEvents: async function* () {
        throw rpcError(reason, "Read the thread instead.");
      },
    });
    assert.deepEqual(await codeOf(call("GET", `${thread}/events`)), [410, "EVENTS_GONE"]);
    reason = Reason.NOT_FOUND;
    assert.deepEqual(await codeOf(call("GET", `${thread}/events`)), [404, "NOT_FOUND"]);
  });
});
