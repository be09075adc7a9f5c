import assert from "node:assert/strict";
import { failureOf } from "@muster/testing";
import { describe, test, vi } from "vitest";
import { Muster, MusterError } from "./index.ts";
import { systemClock } from "./patience.ts";

interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client of a server with these replies, which never waits. `pauses`: how long it would have. "lost": no reply. */
function clientOf(replies: Array<Reply | "lost">, options: { retryForMs?: number; timeoutMs?: number } = {}) {
  const pauses: number[] = [];
  const requests: Array<{ method: string; url: string; key: string | null }> = [];
  let now = 0;
  const sleep = async (ms: number) => {
    pauses.push(ms);
    now += ms;
  };
  const send: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    requests.push({ method: init?.method ?? "", url: String(input), key: headers.get("idempotency-key") });
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (reply === undefined || reply === "lost") throw new TypeError("fetch failed");
    return Response.json(reply.body ?? {}, reply);
  };
  const clock = { ...systemClock, now: () => now, sleep, random: () => 0.5 };
  const muster = new Muster({
    baseUrl: "http://muster.test/",
    apiKey: "svc_sk_x",
    fetch: send,
    clock,
    ...options,
  });
  return { muster, requests, pauses };
}

const busy = (seconds: number) => ({
  status: 503,
  body: { code: "UNAVAILABLE", error: "The service is stopping.", requestId: "req_1" },
  headers: { "retry-after": String(seconds), "x-request-id": "req_1" },
});

async function errorOf(promise: Promise<unknown>): Promise<MusterError> {
  const error = await failureOf(promise);
  assert.ok(error instanceof MusterError, String(error));
  return error;
}

describe("a request that fails", () => {
  test("a read is repeated with longer and longer pauses, at least those that the server asks for", async () => {
    const ok = { status: 200, body: { agents: [] } };
    const { muster, pauses } = clientOf(["lost", "lost", busy(7), { status: 429 }, ok]);
    assert.deepEqual(await muster.agents.list(), { agents: [] });
    assert.deepEqual(pauses, [187.5, 375, 7_000, 1_500]);
  });

  test("it is repeated for as long as the options say", async () => {
    const { muster, pauses } = clientOf([busy(20)], { retryForMs: 50_000 });
    const { code, status, requestId, retryAfterMs } = await errorOf(muster.agents.list());
    assert.deepEqual([code, status, requestId, retryAfterMs], ["UNAVAILABLE", 503, "req_1", 20_000]);
    assert.deepEqual(pauses, [20_000, 20_000]);
  });

  test("a request that the server would carry out twice is sent once", async () => {
    const { muster, requests } = clientOf(["lost", busy(1)]);
    const session = muster.sessions.open("ses_1");
    assert.equal((await errorOf(muster.sessions.create({ agentSlug: "a" }))).code, "OUTCOME_UNKNOWN");
    for (const failing of [muster.tokens.mint({}), session.clear()])
      assert.equal((await errorOf(failing)).code, "UNAVAILABLE");
    assert.equal((await errorOf(session.trigger("x").text())).code, "OUTCOME_UNKNOWN");
    assert.equal(requests.length, 4);
  });

  test("a cancellation is repeated, because a second one has no effect", async () => {
    const done = { status: 200, body: { cancelled: true } };
    const { muster, requests } = clientOf(["lost", done, "lost", done]);
    assert.equal(await muster.sessions.open("ses_1").cancel(), true);
    await muster.workforce.open("agt_1", "thr_1").cancel();
    assert.equal(requests.length, 4);
  });

  test("a request that no repetition can send fails at once", async () => {
    const { muster, requests, pauses } = clientOf(["lost"]);
    const wrong = new Muster({ baseUrl: "muster.test", apiKey: "svc_sk_x" });
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    const trigger = { triggerName: "x", input: { count: 1n } };
    for (const failing of [
      muster.sessions.start({ agentSlug: "a", trigger }).text(),
      muster.sessions.create({ agentSlug: "a", input: loop }),
      muster.workforce.dispatch("agt_1", { message: "Count" }, { idempotencyKey: "a\nb" }).started,
      wrong.agents.list(),
    ])
      assert.ok((await failureOf(failing)) instanceof TypeError);
    assert.deepEqual([requests, pauses], [[], []]);
  });

  test("a thread that is waited for may take the time of the server's wait, whatever the timeout is", async (t) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    t.onTestFinished(() => timeout.mockRestore());
    const { muster } = clientOf([{ status: 200, body: { status: "completed" } }], { timeoutMs: 5_000 });
    await muster.workforce.open("agt_1", "thr_1").wait();
    assert.deepEqual(timeout.mock.calls, [[30_000]]);
  });

  test("a trigger is sent again only if it was refused for being too much", async () => {
    const refused = {
      status: 429,
      body: { code: "SESSION_BUSY", error: "Wait." },
      headers: { "retry-after": "2" },
    };
    const { muster, requests, pauses } = clientOf([refused, "lost", busy(1)]);
    const session = muster.sessions.open("ses_1");
    assert.equal((await errorOf(session.trigger("x").text())).code, "OUTCOME_UNKNOWN");
    assert.deepEqual([requests.length, pauses], [2, [2_000]]);
  });

  test("a trigger whose signal is aborted ends with the reason of the signal", async () => {
    const leaving = new AbortController();
    const send: typeof fetch = async () => {
      leaving.abort(new Error("I have left."));
      throw new TypeError("fetch failed");
    };
    const muster = new Muster({ baseUrl: "http://m", apiKey: "svc_sk_x", fetch: send });
    const turn = muster.sessions.open("ses_1").trigger("x", {}, { signal: leaving.signal });
    assert.equal(String(await failureOf(turn.text())), "Error: I have left.");
  });

  test("a dispatch and a follow-up are repeated with the same idempotency key", async () => {
    const accepted = { status: 201, body: { threadId: "thr_1", status: "pending" } };
    const inProgress = { status: 409, body: { code: "IDEMPOTENCY_KEY_IN_PROGRESS", error: "Wait." } };
    const { muster, requests } = clientOf(["lost", inProgress, accepted, "lost", accepted]);
    const thread = muster.workforce.dispatch("agt_1", { message: "Count" });
    assert.deepEqual(await thread.started, accepted.body);
    await thread.followUp({ message: "Again" });
    const keys = requests.map(({ key }) => key);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0], keys[3], keys[3]]);
    assert.ok(keys[0] !== null && keys[3] !== null && keys[0] !== keys[3]);
  });

  test("a start whose key has run its turn long ago names the session, to be read instead", async () => {
    const replayed = { sessionId: "ses_7", executionId: "exe_7", replayed: true };
    const { muster } = clientOf([{ status: 200, body: replayed }]);
    const trigger = { triggerName: "user-message" };
    const turn = muster.sessions.start({ agentSlug: "a", idempotencyKey: "k", trigger });
    assert.equal((await errorOf(turn.text())).code, "EVENTS_GONE");
    assert.equal(turn.sessionId, "ses_7");
  });

  test("a key of a workforce agent uses the routes of the agent, and any other key those that manage agents", async () => {
    const urls = async (apiKey: string) => {
      const seen: string[] = [];
      const send: typeof fetch = async (input) => {
        seen.push(String(input));
        return Response.json({});
      };
      await new Muster({ baseUrl: "http://m", apiKey, fetch: send }).workforce.get("agt_1");
      return seen;
    };
    assert.deepEqual(await urls("svc_agt_x"), ["http://m/api/v1/workforce/agents/agt_1"]);
    assert.deepEqual(await urls("svc_sk_x"), ["http://m/api/admin/workforce/agents/agt_1"]);
  });

  test("an aborted one rejects with the reason of its signal, also during a pause", async () => {
    const ending = new AbortController();
    const { muster } = clientOf([]);
    ending.abort(new Error("left"));
    assert.equal(String(await failureOf(muster.agents.list({ signal: ending.signal }))), "Error: left");
    const paused = new AbortController();
    const sleeping = systemClock.sleep(600_000, paused.signal);
    paused.abort(new Error("left"));
    assert.equal(String(await failureOf(sleeping)), "Error: left");
  });

  test("a response of a proxy is reported with its status", async () => {
    const { muster } = clientOf([{ status: 404, body: "<html>" }]);
    const { code, status, message } = await errorOf(muster.agents.list());
    assert.deepEqual([code, status], ["UNEXPECTED_RESPONSE", 404]);
    assert.match(message, /^http:\/\/muster\.test.* responded with status 404\.$/);
  });
});
