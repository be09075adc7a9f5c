import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { maxQueue } from "../src/store/agent-store.ts";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

describe("starting a thread", () => {
  test("the first thread of an idle agent is pending, the next ones wait in order, and the agent shows it at once", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const started = [await start("one"), await start("two"), await start("three")];
    const [first, second, third] = started.map(({ threadId }) => threadId);
    assert.deepEqual(
      started.map(({ status, replayed }) => [status, replayed]),
      [
        ["pending", false],
        ["queued", false],
        ["queued", false],
      ],
    );
    const { agent } = await client.getAgent({ agentId }, own);
    assert.deepEqual([agent?.status, agent?.currentThreadId, agent?.queuedThreads], ["busy", first, 2]);
    const queue = await client.getQueue({ agentId }, world.as());
    assert.equal(queue.currentThreadId, first);
    assert.deepEqual(
      queue.queued.map(({ threadId, position }) => [threadId, position]),
      [
        [second, 1],
        [third, 2],
      ],
    );
    for (const { threadId, status } of started) assert.equal((await read(threadId))?.status, status);
  });

  test("a thread shows its message and its settings before anything has run", async (t) => {
    const { start, read } = await startWithAgent(t, {
      settings: { thinking: "high" },
      capabilities: { shell: false },
    });
    const { threadId } = await start("Look\n at   this", {
      config: { model: "demo/other", capabilities: { "web-search": true } },
    });
    const thread = await read(threadId);
    const [message] = JSON.parse(thread?.messagesJson ?? "");
    assert.deepEqual(
      [message.role, message.parts, message.status],
      ["user", [{ type: "text", text: "Look\n at   this", status: "done" }], "done"],
    );
    const { $typeName: _, ...config } = thread?.runConfig ?? {};
    assert.deepEqual(config, {
      model: "demo/other",
      thinking: "high",
      capabilities: { shell: false, "web-search": true },
    });
    assert.deepEqual(
      [thread?.usage, thread?.startedAt, thread?.completedAt, thread?.provenance, thread?.recording],
      Array(5).fill(undefined),
    );
  });

  test("a run whose thread has ended no longer occupies the agent, but a cancelled one does until its process releases it", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const status = async () => (await client.getAgent({ agentId }, own)).agent?.status;
    await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    assert.equal((await client.getAgent({ agentId }, own)).agent?.computer?.state, "running");
    await run.complete();
    assert.equal(await status(), "idle");
    assert.equal((await start("two", { ifIdle: true })).status, "pending");
    await run.free();
    const second = await claimNext(world, agentId, "run_2");
    await second.begin();
    await client.cancelThread({ agentId, threadId: second.threadId }, own);
    assert.equal(await status(), "busy");
    assert.equal((await refusal(start("three", { ifIdle: true }))).currentThreadId, second.threadId);
    await second.free();
    assert.equal(await status(), "idle");
    assert.equal((await client.getAgent({ agentId }, own)).agent?.computer?.state, "paused");
  });

  test("with ifIdle, a busy agent refuses with the thread that occupies it, and creates nothing", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    for (const idempotencyKey of [undefined, "k"]) {
      const refused = await refusal(
        start("two", { ifIdle: true, ...(idempotencyKey && { idempotencyKey }) }),
      );
      assert.deepEqual([refused.reason, refused.currentThreadId], [Reason.AGENT_BUSY, threadId]);
    }
    assert.equal((await client.listThreads({ agentId }, own)).threads.length, 1);
    // The refused request has bound nothing.
    assert.equal((await start("another", { idempotencyKey: "k" })).replayed, false);
    const many = await startWithAgent(t);
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => many.start("x", { ifIdle: true })),
    );
    assert.equal(tries.filter((each) => each.status === "fulfilled").length, 1);
    assert.equal((await many.client.listThreads({ agentId: many.agentId }, many.own)).threads.length, 1);
    assert.equal(
      await world.threads.findByIdempotencyKey({ projectId: "prj_test", agentId }, "nothing"),
      null,
    );
  });

  test("a paused agent refuses, keeps its queue, and shows that it is unavailable", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    await client.updateAgent({ agentId, paused: true }, world.as());
    assert.equal((await refusal(start("two"))).reason, Reason.AGENT_PAUSED);
    const followed = client.followUp({ agentId, threadId, message: "more" }, own);
    assert.equal((await refusal(followed)).reason, Reason.AGENT_PAUSED);
    const { agent } = await client.getAgent({ agentId }, own);
    assert.deepEqual(
      [agent?.status, agent?.unavailableReason, agent?.currentThreadId],
      ["unavailable", "paused", threadId],
    );
    await assert.rejects(claimNext(world, agentId), /nothing to claim/);
    await client.updateAgent({ agentId, paused: false }, world.as());
    await claimNext(world, agentId);
  });

  test("a full queue refuses, and binds no key", async (t) => {
    const { world, agentId, start } = await startWithAgent(t);
    const queue = Array.from({ length: maxQueue }, (_, index) => `thr_${index}`);
    await world.collection("agents").updateOne({ projectId: "prj_test" }, { $set: { queue } });
    const refused = await refusal(start("one more", { idempotencyKey: "k" }));
    assert.equal(refused.reason, Reason.QUEUE_FULL);
    assert.ok((refused.retryAfterMs ?? 0) > 0);
    assert.equal(await world.threads.findByIdempotencyKey({ projectId: "prj_test", agentId }, "k"), null);
  });

  test("computers that are not connected are shown, and refuse no thread", async (t) => {
    for (const [computer, reason, state] of [
      [{ kind: "mac", os: "macos" }, "computer_down", "down"],
      [{ kind: "dedicated", os: "windows" }, "computer_down", "down"],
      [{ kind: "cli", os: "linux" }, "cli_only", "none"],
    ] as const) {
      const { client, agentId, own, start } = await startWithAgent(t, { computer });
      const { agent } = await client.getAgent({ agentId }, own);
      assert.deepEqual([agent?.status, agent?.unavailableReason], ["unavailable", reason]);
      const { $typeName: _, ...shown } = agent?.computer ?? {};
      assert.deepEqual(shown, { ...computer, id: "", state });
      assert.equal((await start("one")).status, "pending");
    }
  });

  test("every bad field is refused by name, and nothing is stored", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    world.fake.broken.set("demo/broken", "demo/broken has no key.");
    const file = { id: "file_1", mediaType: "text/csv", url: "https://example.com/a.csv" };
    const rows: Array<[string, object, Reason, string[]]> = [
      ["", {}, Reason.INVALID_REQUEST, ["message"]],
      [" \n", {}, Reason.INVALID_REQUEST, ["message"]],
      ["x".repeat(100_001), {}, Reason.INVALID_REQUEST, ["message"]],
      ["a\0b", {}, Reason.INVALID_REQUEST, ["message"]],
      ["Go", { files: Array(21).fill(file) }, Reason.INVALID_REQUEST, ["files"]],
      [
        "Go",
        { files: [{ ...file, url: "file:///etc/passwd", mediaType: "csv" }] },
        Reason.INVALID_REQUEST,
        ["files.0.mediaType", "files.0.url"],
      ],
      [
        "Go",
        { files: [file, { ...file, id: "", filename: "../a" }] },
        Reason.INVALID_REQUEST,
        ["files.1.id", "files.1.filename"],
      ],
      [
        "Go",
        { config: { thinking: "hard", model: "x", backupModel: " " } },
        Reason.INVALID_REQUEST,
        ["config.model", "config.backupModel", "config.thinking"],
      ],
      [
        "Go",
        { config: { record: true, recordVisibility: "secret" } },
        Reason.INVALID_REQUEST,
        ["config.recordVisibility"],
      ],
      [
        "Go",
        { config: { capabilities: { shel: true, constructor: true } } },
        Reason.CAPABILITY_NOT_DECLARED,
        ["config.capabilities.shel", "config.capabilities.constructor"],
      ],
      ["Go", { config: { model: "demo/broken" } }, Reason.MODEL_NOT_RUNNABLE, ["config.model"]],
      ["Go", { config: { backupModel: "demo/broken" } }, Reason.MODEL_NOT_RUNNABLE, ["config.backupModel"]],
      ["Go", { idempotencyKey: "" }, Reason.INVALID_IDEMPOTENCY_KEY, []],
      ["Go", { idempotencyKey: "x".repeat(256) }, Reason.INVALID_IDEMPOTENCY_KEY, []],
      ["Go", { idempotencyKey: "a b" }, Reason.INVALID_IDEMPOTENCY_KEY, []],
      ["Go", { idempotencyKey: "a\tb" }, Reason.INVALID_IDEMPOTENCY_KEY, []],
    ];
    for (const [message, more, reason, paths] of rows) {
      const refused = await refusal(start(message, more));
      const label = JSON.stringify(more) + message.slice(0, 5);
      assert.equal(refused.reason, reason, label);
      assert.deepEqual(
        refused.issues.map(({ path }) => path),
        paths,
        label,
      );
    }
    assert.deepEqual((await client.listThreads({ agentId }, own)).threads, []);
    assert.equal(
      (await start("x".repeat(100_000), { files: [file], idempotencyKey: "~".repeat(255) })).status,
      "pending",
    );
    world.fake.down.add("sessions");
    assert.equal((await refusal(start("Go"))).reason, Reason.UNAVAILABLE);
  });

  test("a recording is asked for by the agent's settings or by the dispatch, and a visibility alone asks for none", async (t) => {
    const { client, world, agentId, start, read } = await startWithAgent(t);
    const recorded = async (config?: object) =>
      (await read((await start("Go", config && { config })).threadId))?.recording?.visibility;
    assert.equal(await recorded({ recordVisibility: "public" }), undefined);
    assert.equal(await recorded({ record: true, recordVisibility: "public" }), "public");
    await client.updateAgent({ agentId, settings: { record: true, recordVisibility: "public" } }, world.as());
    assert.deepEqual(
      [await recorded(), await recorded({ recordVisibility: "private" }), await recorded({ record: false })],
      ["public", "private", undefined],
    );
  });

  test("without a store for recordings, a requested one is unavailable, and the missing setting is named", async (t) => {
    const { start, read } = await startWithAgent(t);
    const { threadId } = await start("Go", { config: { record: true } });
    const { recording } = (await read(threadId)) ?? {};
    assert.deepEqual([recording?.status, recording?.visibility], ["unavailable", "private"]);
    assert.match(recording?.error ?? "", /FILES_DIRECTORY/);
  });
});

describe("limits", () => {
  test("a limit that is reached blocks a new thread, which is stored, and refuses follow-ups", async (t) => {
    const rows = [
      [{ agent: { monthlyUsd: "1.5" } }, "limit", Reason.SPENDING_LIMIT],
      [{ agent: { monthlyTokens: 100n } }, "limit", Reason.USAGE_LIMIT],
      [{ agent: { monthlyRuns: 0 } }, "billing", Reason.USAGE_LIMIT],
      [{ project: { workforceMonthlyUsd: "1.50000" } }, "limit", Reason.SPENDING_LIMIT],
      [{ project: { workforceMonthlyTokens: 99n } }, "limit", Reason.USAGE_LIMIT],
      [{ project: { workforceMonthlyRuns: 0 } }, "billing", Reason.USAGE_LIMIT],
      [{ project: { monthlyUsd: "1.5" } }, "limit", Reason.SPENDING_LIMIT],
    ] as const;
    for (const [limits, type, reason] of rows) {
      const { world, client, agentId, own, start, read } = await startWithAgent(t, {
        limits: "agent" in limits ? limits.agent : {},
      });
      world.fake.used = { totalFeeUsd: "1.5", totalTokens: 100n };
      if ("project" in limits) world.fake.limits = limits.project;
      const { threadId, status } = await start("Go");
      assert.equal(status, "blocked");
      const shown = async () => {
        const { agent } = await client.getAgent({ agentId }, own);
        return [agent?.status, agent?.unavailableReason];
      };
      assert.deepEqual(await shown(), ["unavailable", "limit_reached"]);
      const { agents } = await client.listAgents({}, world.as());
      assert.equal(agents[0]?.agent?.unavailableReason, "limit_reached");
      const thread = await read(threadId);
      assert.deepEqual([thread?.status, thread?.failureType], ["blocked", type]);
      assert.match(thread?.failureReason ?? "", /month/);
      assert.ok(thread?.completedAt);
      assert.equal(JSON.parse(thread?.messagesJson ?? "").length, 1);
      const refused = await refusal(client.followUp({ agentId, threadId, message: "On" }, own));
      assert.equal(refused.reason, reason);
      assert.equal((await read(threadId))?.status, "blocked");
      // Raised, the first message runs, too.
      world.fake.limits = {};
      await client.updateAgent(
        { agentId, limits: { monthlyUsd: "", monthlyTokens: "", monthlyRuns: "" } },
        world.as(),
      );
      assert.deepEqual(await shown(), ["idle", undefined]);
      const followed = await client.followUp({ agentId, threadId, message: "On" }, own);
      assert.equal(followed.status, "running");
      const again = await read(threadId);
      assert.deepEqual([again?.failureType, again?.completedAt], [undefined, undefined]);
      assert.deepEqual(JSON.parse(again?.messagesJson ?? "").length, 2);
    }
  });

  test("runs of this month count, of the agent and of the whole project, and those of other months do not", async (t) => {
    const { world, client, agentId, key } = await startWithAgent(t, { limits: { monthlyRuns: 2 } });
    const record = (of: string, threadId: string, month: string) =>
      world.runs.record({ ...key, agentId: of, threadId }, 1, new Date(`${month}-10T00:00:00Z`));
    // Signed again, because the clock moves.
    const start = async (message: string) =>
      (await client.startThread({ agentId, message }, world.asAgent(agentId))).status;
    await record(agentId, "thr_a", "2026-11");
    await record(agentId, "thr_a", "2026-11");
    await record(agentId, "thr_b", "2026-10");
    await record("agt_other", "thr_c", "2026-11");
    assert.equal(await start("one"), "pending");
    world.fake.limits = { workforceMonthlyRuns: 2 };
    assert.equal(await start("two"), "blocked");
    world.fake.limits = { workforceMonthlyRuns: 3 };
    assert.equal(await start("three"), "queued");
    await record(agentId, "thr_d", "2026-11");
    assert.equal(await start("four"), "blocked");
    world.clock.advance(10 * 24 * 3_600_000);
    assert.equal(await start("five"), "queued");
  });

  test("an agent is shown without its limits while a service that knows them does not respond", async (t) => {
    const { world, client, agentId, own } = await startWithAgent(t, { limits: { monthlyUsd: "1" } });
    for (const name of ["auth", "sessions"] as const) {
      world.fake.down.add(name);
      assert.equal((await client.getAgent({ agentId }, own)).agent?.status, "idle");
    }
  });

  test("ifIdle precedes the limits, and a limit binds the key of its blocked thread", async (t) => {
    const { world, start } = await startWithAgent(t);
    await start("one");
    world.fake.limits = { workforceMonthlyRuns: 0 };
    assert.equal((await refusal(start("two", { ifIdle: true }))).reason, Reason.AGENT_BUSY);
    const first = await start("two", { idempotencyKey: "k" });
    const again = await start("two", { idempotencyKey: "k" });
    assert.deepEqual(
      [first.status, again.status, again.replayed, again.threadId],
      ["blocked", "blocked", true, first.threadId],
    );
  });
});

describe("idempotency keys", () => {
  test("the same key with the same request returns the first thread, whatever the key is given with", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const first = await start("Go", { idempotencyKey: "build-77" });
    const second = await world.addInstance();
    for (const more of [{}, { config: {} }, { ifIdle: false }, { files: [] }]) {
      const request = { agentId, message: "Go", idempotencyKey: "build-77", ...more };
      const again = await second.client.startThread(request, own);
      assert.deepEqual([again.threadId, again.replayed], [first.threadId, true]);
    }
    // A replay precedes the pause, the configuration, ifIdle and the limits.
    world.fake.limits = { workforceMonthlyRuns: 0 };
    world.fake.broken.set("demo/echo", "No key.");
    await client.updateAgent({ agentId, paused: true }, world.as());
    assert.equal((await start("Go", { idempotencyKey: "build-77" })).replayed, true);
    assert.equal((await client.listThreads({ agentId }, own)).threads.length, 1);
  });

  test("the same key with another request is refused, whichever part differs", async (t) => {
    const { start } = await startWithAgent(t);
    await start("Go", { idempotencyKey: "k" });
    const file = { id: "file_1", mediaType: "text/csv", url: "https://example.com/a.csv" };
    for (const [message, more] of [
      ["go", {}],
      ["Go", { ifIdle: true }],
      ["Go", { config: { model: "demo/other" } }],
      ["Go", { config: { capabilities: { shell: true } } }],
      ["Go", { files: [file] }],
    ] as const) {
      const refused = await refusal(start(message, { idempotencyKey: "k", ...more }));
      assert.equal(refused.reason, Reason.IDEMPOTENCY_KEY_REUSED, JSON.stringify(more));
    }
  });

  test("keys belong to one agent", async (t) => {
    const { world, client, start } = await startWithAgent(t);
    const definition = { case: "prebuilt" as const, value: "log-analyst" };
    const other = (await client.hireAgent({ name: "Kim", definition }, world.as())).agent?.agent?.id ?? "";
    const first = await start("Go", { idempotencyKey: "k" });
    const second = await client.startThread(
      { agentId: other, message: "Stop", idempotencyKey: "k" },
      world.asAgent(other),
    );
    assert.notEqual(second.threadId, first.threadId);
  });

  test("a repeat while the first request is processed says when to try again", async (t) => {
    const { world, agentId, key, start } = await startWithAgent(t);
    const { threadId } = await start("Go", { idempotencyKey: "k" });
    await world
      .collection("threads")
      .updateOne({ idem: { $exists: true }, agentId }, { $set: { accepted: false } });
    const refused = await refusal(start("Go", { idempotencyKey: "k" }));
    assert.deepEqual([refused.reason, refused.retryAfterMs], [Reason.IDEMPOTENCY_KEY_IN_PROGRESS, 1_000]);
    assert.ok(await world.threads.find({ ...key, threadId }));
  });

  test("a hundred callers with fifty keys on two instances start exactly fifty threads", async (t) => {
    const { world, client, agentId, own } = await startWithAgent(t);
    const { client: other } = await world.addInstance();
    const keys = Array.from({ length: 50 }, (_, index) => `key-${index}`);
    const byKey = new Map<string, string>();
    let fresh = 0;
    const call = async (caller: typeof client, idempotencyKey: string): Promise<void> => {
      for (;;) {
        try {
          const request = { agentId, message: `Do ${idempotencyKey}`, idempotencyKey };
          const { threadId, replayed } = await caller.startThread(request, own);
          if (!replayed) fresh += 1;
          assert.equal(byKey.get(idempotencyKey) ?? threadId, threadId);
          byKey.set(idempotencyKey, threadId);
          return;
        } catch (error) {
          const { reason } = await refusal(Promise.reject(error));
          assert.equal(reason, Reason.IDEMPOTENCY_KEY_IN_PROGRESS, String(error));
        }
      }
    };
    const callers = Array.from({ length: 100 }, async (_, index) => {
      for (const [place] of keys.entries()) {
        await call(index % 2 === 0 ? client : other, keys[(place + index) % keys.length] ?? "");
      }
    });
    await Promise.all(callers);
    assert.deepEqual([fresh, byKey.size, new Set(byKey.values()).size], [50, 50, 50]);
    const agent = await world.agents.find({ projectId: "prj_test", agentId });
    assert.deepEqual([...(agent?.queue ?? [])].sort(), [...byKey.values()].sort());
  });
});
