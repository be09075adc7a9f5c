import assert from "node:assert/strict";
import { failureOf, until } from "@muster/testing";
import { describe, test } from "vitest";
import { Muster, MusterError, systemClock } from "./index.ts";

const events = (...list: object[]) =>
  new Response([...list.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"].join(""), {
    headers: { "content-type": "text/event-stream" },
  });
const start = { type: "start", executionId: "exe_1", messageId: "msg_1", sessionId: "ses_1" };
const finish = { type: "finish", finishReason: "stop" };
const refused = (status: number, code: string) => Response.json({ code, error: "Refused." }, { status });

/** A session at a server with these replies, one after the other, and the requests that it has sent. */
function sessionOf(...replies: Array<Response | "lost">) {
  const requests: Array<{ path: string; body: Record<string, unknown> }> = [];
  const send: typeof fetch = async (input, init) => {
    const body = typeof init?.body === "string" ? JSON.parse(init.body) : {};
    requests.push({ path: new URL(String(input)).pathname, body });
    const reply = replies.shift() ?? "lost";
    if (reply === "lost") throw new TypeError("fetch failed");
    return reply;
  };
  const clock = { ...systemClock, sleep: async () => undefined };
  const muster = new Muster({ baseUrl: "http://m", apiKey: "svc_sk_x", fetch: send, clock, retryForMs: 500 });
  return { muster, session: muster.sessions.open("ses_1"), requests };
}

describe("a turn", () => {
  test("its trigger reports that the turn may have begun, whichever way the response was lost", async () => {
    for (const reply of [new Response("<html>", { status: 502 }), refused(504, "TIMEOUT"), "lost" as const]) {
      const { session, requests } = sessionOf(reply);
      const error = await failureOf(session.trigger("x").text());
      assert.ok(error instanceof MusterError && error.code === "OUTCOME_UNKNOWN", String(error));
      assert.equal(requests.length, 1);
    }
    for (const [status, code] of [[400, "INVALID_INPUT"] as const, [503, "STORAGE_FULL"] as const]) {
      const error = await failureOf(sessionOf(refused(status, code)).session.trigger("x").text());
      assert.ok(error instanceof MusterError && error.code === code, String(error));
    }
  });

  test("a reader that decides too late follows the turn with the decision of another user", async () => {
    const approvals = [{ approvalId: "apr_1", toolName: "refund" }];
    const paused = () => events(start, { ...finish, finishReason: "tool-calls", approvals });
    for (const late of [refused(409, "APPROVAL_DECIDED"), refused(410, "APPROVAL_EXPIRED")]) {
      const { session } = sessionOf(paused(), late, events(finish));
      const turn = session.attach(
        { executionId: "exe_1" },
        { onApproval: () => ({ decision: "approve" as const }) },
      );
      assert.equal((await turn.result()).finishReason, "stop");
    }
    const { session } = sessionOf(paused(), refused(403, "FORBIDDEN"));
    const turn = session.attach(
      { executionId: "exe_1" },
      { onApproval: () => ({ decision: "deny" as const }) },
    );
    assert.match(String(await failureOf(turn.result())), /Refused/);
  });

  test("its text rejects after the loop was left early, and resolves after the end", async () => {
    const text = { type: "text-delta", id: "t", delta: "Half" };
    const half = sessionOf(events(start, text, finish)).session.trigger("x");
    for await (const { type } of half) if (type === "text-delta") break;
    assert.match(String(await failureOf(half.text())), /not read to its end/);
    const whole = sessionOf(events(start, text, finish)).session.trigger("x");
    for await (const { type } of whole) if (type === "finish") break;
    assert.equal(await whole.text(), "Half");
  });

  test("settings that are undefined have their defaults, so that a start is repeated with one key", async () => {
    const { muster, session, requests } = sessionOf("lost", events(start, finish), events(start, finish));
    const trigger = { triggerName: "x", onDisconnect: undefined };
    await muster.sessions.start({ agentSlug: "a", idempotencyKey: undefined, trigger }).text();
    await session.trigger("x", {}, { onDisconnect: undefined }).text();
    const [first, second, third] = requests.map(({ body }) => body);
    assert.ok(typeof first?.idempotencyKey === "string");
    assert.deepEqual(first, second);
    assert.deepEqual(first.trigger, { triggerName: "x", onDisconnect: "continue" });
    assert.equal(third?.onDisconnect, "continue");
  });

  test("the result of a tool that no request can contain is an error, which the model reads", async () => {
    const call = { toolCallId: "call_1", toolName: "count", args: {} };
    const request = { type: "tool-request", toolCalls: [call] };
    const { session, requests } = sessionOf(
      events(start, request, { ...finish, finishReason: "client-tool-calls" }),
      events(start, finish),
    );
    await session.trigger("x", {}, { tools: { count: () => ({ count: 1n }) } }).text();
    const [{ error } = { error: "" }] = Object(requests[1]?.body).toolResults;
    assert.match(error, /BigInt/);
  });
});

describe("a token that a program asks for", () => {
  /** A client whose requests succeed, and the credentials that they had. */
  function clientOf(getToken: () => Promise<{ token: string; expiresAt?: string }>, now = () => 0) {
    const seen: Array<string | null> = [];
    const send: typeof fetch = async (_, init) => {
      seen.push(new Headers(init?.headers).get("authorization"));
      return events(start, finish);
    };
    const clock = { ...systemClock, date: now, sleep: async () => undefined };
    return { muster: new Muster({ baseUrl: "http://m", getToken, fetch: send, clock }), seen };
  }

  test("a request that ends does not wait for it, and the next one asks again", async () => {
    const answers = [new Promise<never>(() => undefined), Promise.resolve({ token: "t" })];
    const { muster, seen } = clientOf(() => answers.shift() ?? Promise.reject(new Error("asked too often")));
    const leaving = new AbortController();
    const turn = muster.sessions.open("ses_1").trigger("x", {}, { signal: leaving.signal });
    const failure = failureOf(turn.text());
    await until(() => answers.length === 1);
    leaving.abort(new Error("I have left."));
    assert.equal(String(await failure), "Error: I have left.");
    await muster.sessions.open("ses_1").trigger("x").text();
    assert.deepEqual(seen, ["Bearer t"]);
  });

  test("a failure to get one is repeated also for a trigger, which has not been sent", async () => {
    let attempts = 0;
    const { muster, seen } = clientOf(() => {
      if (attempts++ === 0) throw new Error("thrown at once");
      return attempts === 2 ? Promise.reject(new TypeError("offline")) : Promise.resolve({ token: "t" });
    });
    await muster.sessions.open("ses_1").trigger("x").text();
    assert.deepEqual([attempts, seen], [3, ["Bearer t"]]);
  });

  test("the previous one is used until its end if it cannot be renewed", async () => {
    let now = 0;
    const expiresAt = new Date(60_000).toISOString();
    let attempts = 0;
    const { muster, seen } = clientOf(
      async () => {
        if (attempts++ > 0) throw new Error("offline");
        return { token: "first", expiresAt };
      },
      () => now,
    );
    const ask = () => muster.sessions.open("ses_1").trigger("x").text();
    await ask();
    now = 50_000;
    await ask();
    assert.deepEqual([seen, attempts], [["Bearer first", "Bearer first"], 2]);
  });
});
