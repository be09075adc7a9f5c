import assert from "node:assert/strict";
import { Muster, MusterError, type StreamEvent, systemClock } from "@muster/client";
import { readExample } from "@muster/local/testing/example";
import { startTestServer, type TestServer } from "@muster/local/testing/server";
import { collect, eventsOf, failureOf } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";

/** Never waits: pauses only make its time pass. */
function hurriedClock() {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return { ...systemClock, now: () => now, sleep, random: () => 1 };
}

/** A response that breaks after a number of bytes; before its headers if that is negative. Infinity: it is whole. */
function cut(response: Response, length: number): Response {
  if (length < 0) throw new TypeError("fetch failed");
  let left = length;
  const cutting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) controller.error(new TypeError("terminated"));
    },
  });
  return new Response(response.body?.pipeThrough(cutting) ?? null, response);
}

const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Use get-order" } };
const tools = { "get-order": () => ({ status: "shipped" }) };

describe("a turn whose connection is cut", () => {
  const scope = suiteScope();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(scope);
    await server.client.json(201, "POST", "/api/agents", await readExample("support-chat"));
  });

  /** A client whose responses with events are cut at these lengths, one after the other, and are whole after the last. */
  function cutClient(lengths: number[]): Muster {
    const send: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
      return isStream ? cut(response, lengths.shift() ?? Number.POSITIVE_INFINITY) : response;
    };
    return new Muster({ baseUrl: server.url, apiKey: server.key, fetch: send, clock: hurriedClock() });
  }

  /** The events without the ids of this turn. */
  const comparable = (events: StreamEvent[]) =>
    JSON.stringify(events).replaceAll(/(?:msg|exe|ses|blk)_\w+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");

  test("each event arrives once, and the tool runs once, whichever response is lost before or after it has begun", async () => {
    const whole = await collect(
      cutClient([]).sessions.start({ agentSlug: "support-chat", trigger }, { tools }),
    );
    const cuts = [
      ...[[-1], [0], [40, -1, 700], [150], [1_500, 0, 90, 1_000]],
      // The response to the tool's result, which the server has accepted.
      ...[-1, 0, 40, 150, 1_500].map((length) => [Number.POSITIVE_INFINITY, length, 30]),
    ];
    for (const lengths of cuts) {
      let calls = 0;
      const counted = { "get-order": () => ({ status: "shipped", ...(calls++ > 0 && { calls }) }) };
      const turn = cutClient([...lengths]).sessions.start(
        { agentSlug: "support-chat", trigger },
        { tools: counted },
      );
      assert.equal(comparable(await collect(turn)), comparable(whole), String(lengths));
      assert.equal(calls, 1);
    }
  });

  test("results that a program sends itself continue the turn once, whichever response to them is lost", async () => {
    for (const length of [-1, 0, 40]) {
      const muster = cutClient([Number.POSITIVE_INFINITY, length]);
      const session = await muster.sessions.create({ agentSlug: "support-chat" });
      const { executionId, toolCalls } = await session.trigger(trigger.triggerName, trigger.input).result();
      const results = toolCalls.map(({ toolCallId }) => ({ toolCallId, result: { status: "shipped" } }));
      assert.match(await session.continue(executionId, results).text(), /shipped/, String(length));
    }
  });

  test("a recorded stream, cut at every byte, arrives as if it were whole; before the first event only if a repetition is safe", async () => {
    const { client } = server;
    const started = await client.request("POST", "/api/agent-sessions/start", {
      ...{ agentSlug: "support-chat", idempotencyKey: "recorded" },
      trigger: { ...trigger, input: { USER_MESSAGE: "é €" } },
    });
    const recorded = await started.text();
    const expected = eventsOf(recorded);
    const path = `/api/agent-sessions/${expected[0]?.sessionId}/executions/${expected[0]?.executionId}/events`;
    const numbered = await (await client.request("GET", path)).text();
    const bytes = new TextEncoder().encode(recorded);
    const firstEventEnds = recorded.indexOf("\n") + 1;
    let length = 0;
    let requests: string[] = [];
    const replay: typeof fetch = async (input) => {
      const url = new URL(String(input));
      requests.push(url.pathname);
      const headers = { "content-type": "text/event-stream" };
      if (requests.length === 1) return cut(new Response(bytes, { headers }), length);
      if (!url.pathname.endsWith("/events")) return new Response(bytes, { headers });
      const after = Number(url.searchParams.get("after"));
      // The second response is cut as well, somewhere else.
      const next = numbered.indexOf(`id: ${after + 1}\n`);
      const rest = numbered.slice(next < 0 ? numbered.indexOf("data: [DONE]") : next);
      return cut(
        new Response(rest, { headers }),
        requests.length === 2 ? length % 211 : Number.POSITIVE_INFINITY,
      );
    };
    const replayed = new Muster({ baseUrl: server.url, fetch: replay, clock: hurriedClock() });
    for (length = -1; length < bytes.length; length++) {
      requests = [];
      const turn = replayed.sessions.start({ agentSlug: "support-chat", trigger });
      assert.deepEqual(await collect(turn), expected, `cut after ${length} bytes`);
      // Afterwards, a trigger is the same as a start.
      if (length > firstEventEnds + 20) continue;
      requests = [];
      const events: StreamEvent[] = [];
      const error = await failureOf(
        (async () => {
          for await (const event of replayed.sessions.open("ses_1").trigger("user-message"))
            events.push(event);
          throw new Error("whole");
        })(),
      );
      const isUnknown = error instanceof MusterError && error.code === "OUTCOME_UNKNOWN";
      const hasBegun = length >= firstEventEnds;
      assert.equal(hasBegun ? String(error) === "Error: whole" : isUnknown, true, `${length}: ${error}`);
      if (hasBegun) assert.deepEqual(events, expected);
      else assert.equal(requests.length, 1);
    }
  });
});
