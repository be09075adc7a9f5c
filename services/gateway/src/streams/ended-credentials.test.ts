import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { until } from "@muster/testing";
import Fastify from "fastify";
import { describe, type TestContext, test } from "vitest";
import { gatewayDefaults } from "../config.ts";
import { respondWithError } from "../edge/http/respond-with-error.ts";
import { OpenStreams } from "./open-streams.ts";
import { relay } from "./relay.ts";

interface Key {
  id: string;
  expiresAtMs?: number;
  isValid?: () => Promise<boolean>;
}

/** A gateway with a single route; the path of a request names its key, and its stream runs until it is aborted. */
async function serve(t: TestContext, keys: Key[]) {
  const clock = new ManualClock();
  const streams = new OpenStreams(gatewayDefaults.streams, clock);
  const aborted: string[] = [];
  const app = Fastify();
  app.decorateRequest("credential", undefined);
  app.decorateRequest("summary", undefined);
  app.setErrorHandler((error, _request, reply) => respondWithError(error, reply));
  app.post<{ Params: { id: string; silent: string } }>("/:id/:silent", async (request, reply) => {
    const { id, silent } = request.params;
    const { expiresAtMs = Number.POSITIVE_INFINITY, isValid = async () => true } =
      keys.find((key) => key.id === id) ?? {};
    const confirm = async () =>
      (await isValid()) ? { askedAtMs: clock.monotonicMs(), expiresAtMs } : undefined;
    request.credential = {
      projectId: "prj_1",
      name: id,
      ids: [id],
      expiresAtMs,
      askedAtMs: clock.monotonicMs(),
      confirm,
    };
    await relay(streams, reply, async function* (signal) {
      if (silent === "no") yield { events: [event("start"), event("text-start")] };
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      aborted.push(id);
      throw signal.reason;
    });
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  t.onTestFinished(async () => {
    await streams.stop(0, 0);
    app.server.closeAllConnections();
    await app.close();
  });
  const open = (id: string, silent = "no") => fetch(`${url}/${id}/${silent}`, { method: "POST" });
  return { clock, streams, aborted, open };
}

function event(type: string) {
  const json = JSON.stringify({ type, id: "t1" });
  return { $typeName: "muster.sessions.v1.StreamEvent" as const, sequence: 1, type, json };
}

/** The frames after those of the source. */
async function endOf(response: Response): Promise<unknown[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: "));
  return frames.slice(2).map((frame) => (frame === "data: [DONE]" ? "[DONE]" : JSON.parse(frame.slice(6))));
}

const ended = [
  { type: "text-end", id: "t1", interrupted: true },
  {
    type: "error",
    errorType: "authentication_error",
    source: "client",
    message: "The credential of this stream was revoked or has expired. Continue with a valid one.",
    retryable: false,
    code: "UNAUTHENTICATED",
  },
  "[DONE]",
];

describe("open streams of a credential that ends", () => {
  test("a stream that waits for its first event is refused as a request is, and so is one that was just admitted", async (t) => {
    const { streams, open } = await serve(t, []);
    const waiting = open("a", "yes");
    await until(() => streams.size === 1);
    streams.revoke("a");
    assert.equal((await waiting).status, 401);
    assert.equal((await open("a")).status, 401);
  });

  test("the bootstrap key keeps its id with a new secret: streams that are authenticated after the revocation continue", async (t) => {
    const { clock, streams, open } = await serve(t, []);
    const before = await open("a");
    streams.revoke("a");
    assert.deepEqual(await endOf(before), ended);
    clock.advance(1);
    const after = await open("a");
    assert.equal(after.status, 200);
    await until(() => streams.size === 1);
    await after.body?.cancel();
  });

  test("a key that expires ends its streams", async (t) => {
    const { clock, streams, open } = await serve(t, [
      { id: "a", expiresAtMs: new ManualClock().now() + 60_000 },
    ]);
    const response = await open("a");
    clock.advance(59_999);
    streams.tick();
    assert.equal(streams.size, 1);
    clock.advance(1);
    streams.tick();
    assert.deepEqual(await endOf(response), ended);
  });

  test("a revocation whose event was lost is noticed within five seconds, with one check for each key", async (t) => {
    let isValid = true;
    let checks = 0;
    const check = async () => {
      checks++;
      return isValid;
    };
    const { clock, streams, open } = await serve(t, [{ id: "a", isValid: check }]);
    const responses = [await open("a"), await open("a"), await open("a")];
    clock.advance(4_000);
    streams.tick();
    await until(() => checks === 1);
    assert.equal(streams.size, 3);
    isValid = false;
    clock.advance(4_500);
    await until(() => {
      streams.tick();
      return checks === 2;
    });
    for (const response of responses) assert.deepEqual(await endOf(response), ended);
  });

  test("streams continue while the auth service cannot be reached", async (t) => {
    let wasAsked = false;
    const isValid = () => {
      wasAsked = true;
      return Promise.reject(new Error("unreachable"));
    };
    const { clock, streams, open } = await serve(t, [{ id: "a", isValid }]);
    const response = await open("a");
    clock.advance(4_000);
    streams.tick();
    await streams.recheck();
    assert.deepEqual([wasAsked, streams.size], [true, 1]);
    await response.body?.cancel();
  });
});
