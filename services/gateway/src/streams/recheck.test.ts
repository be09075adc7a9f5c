import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuthenticateResponseSchema } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { ManualClock } from "@muster/service";
import { newCredential } from "@muster/service/credentials";
import { describe, test } from "vitest";
import { createAuthenticator, holdCredential } from "../auth/authenticator.ts";
import { gatewayDefaults } from "../config.ts";
import { OpenStreams } from "./open-streams.ts";

const { authCacheMs: cacheMs, streams: limits } = gatewayDefaults;

/** A gateway that misses every event. Each token is an identity of its own. */
function start() {
  const clock = new ManualClock();
  const revoked = new Set<string>();
  const state = { asked: 0, running: 0, mostAtOnce: 0, isReachable: true, idleMs: Number.POSITIVE_INFINITY };
  /** The tokens that are not of the project `p`, and the order in which tokens were asked about. */
  const projects = new Map<string, string>();
  const order: string[] = [];
  const auth = {
    authenticate: async ({ credential = "" }: { credential?: string }) => {
      state.asked += 1;
      order.push(credential);
      state.running += 1;
      state.mostAtOnce = Math.max(state.mostAtOnce, state.running);
      await new Promise((resolve) => setImmediate(resolve));
      state.running -= 1;
      if (!state.isReachable) throw rpcError(Reason.UNAVAILABLE, "not now");
      if (revoked.has(credential)) throw rpcError(Reason.UNAUTHENTICATED, "no");
      const projectId = projects.get(credential) ?? "p";
      const principal = { projectId, keyId: "k", tokenId: credential, permissions: ["sessions"] };
      const isEndless = state.idleMs === Number.POSITIVE_INFINITY;
      const end = isEndless ? {} : { expiresAt: timestampFromMs(clock.now() + state.idleMs) };
      return create(AuthenticateResponseSchema, { principal: { ...principal, ...end } });
    },
  };
  const authenticator = createAuthenticator({ auth, clock, cacheMs, timeoutMs: 1_000 });
  const streams = new OpenStreams(limits, clock);
  const open = async (token: string) => {
    const identity = await authenticator.authenticate(token, "r");
    const raw = new ServerResponse(new IncomingMessage(new Socket()));
    return streams.add(raw, holdCredential(authenticator, identity, token, "r"));
  };
  /** Passes time as the timer of a gateway does, and runs everything that is due. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      clock.advance(100);
      streams.tick();
      for (let n = 0; n < 4; n++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { clock, revoked, state, projects, order, authenticator, streams, open, pass };
}

const tokens = (count: number) => Array.from({ length: count }, () => newCredential("token", randomBytes));

describe("checks of the credentials of open streams", () => {
  test("a project with hundreds of open streams delays the check of another one by one of its own", async () => {
    const { clock, projects, order, open, streams } = start();
    const flood = tokens(200);
    const [other = ""] = tokens(1);
    projects.set(other, "other");
    for (const token of [...flood, other]) await open(token);
    order.length = 0;
    clock.advance(limits.recheckMs);
    await streams.recheck();
    assert.equal(order.length, 201);
    assert.ok(order.indexOf(other) <= 21, `${order.indexOf(other)} were asked about before`);
  });

  test("a stream that opens on a cached identity ends within five seconds of the revocation", async () => {
    const { clock, revoked, authenticator, open, pass } = start();
    const [token = ""] = tokens(1);
    await authenticator.authenticate(token, "r");
    revoked.add(token);
    clock.advance(cacheMs - 100);
    const stream = await open(token);
    await pass(1_000);
    assert.equal(stream.endReason, "unauthenticated");
  });

  test("at most twenty credentials are checked at once, and each is", async () => {
    const { state, streams, open } = start();
    for (const token of tokens(100)) await open(token);
    state.asked = 0;
    await streams.recheck();
    assert.deepEqual([state.asked, state.mostAtOnce], [100, 20]);
  });

  test("credentials are checked four seconds after the last question, not all at the same time", async () => {
    const { state, open, pass } = start();
    for (const token of tokens(4)) {
      await open(token);
      await pass(500);
    }
    state.asked = 0;
    const counts: number[] = [];
    await pass(2_000);
    for (let n = 0; n < 4; n++) {
      counts.push(state.asked);
      await pass(500);
    }
    assert.deepEqual(counts, [1, 2, 3, 4]);
  });

  test("a credential that a request has just confirmed is not checked for its stream", async () => {
    const { clock, state, streams, authenticator, open, pass } = start();
    const [token = ""] = tokens(1);
    await open(token);
    clock.advance(cacheMs + 1);
    await authenticator.authenticate(token, "r");
    assert.equal(state.asked, 2);
    await pass(cacheMs - 200);
    assert.equal(state.asked, 2);
    await pass(300);
    assert.deepEqual([state.asked, streams.size], [3, 1]);
  });

  test("a stream outlives the end that its credential had when it opened, if each check moves that end", async () => {
    const { state, streams, open, pass } = start();
    const [login = ""] = tokens(1);
    state.idleMs = 6_000;
    const stream = await open(login);
    await pass(20_000);
    assert.equal(streams.size, 1);
    state.isReachable = false;
    await pass(6_000);
    assert.equal(stream.endReason, "unauthenticated");
  });

  test("a check without a response ends nothing and is repeated at once when the auth service responds again", async () => {
    const { revoked, state, open, pass } = start();
    const [token = ""] = tokens(1);
    const stream = await open(token);
    revoked.add(token);
    state.isReachable = false;
    await pass(10_000);
    assert.equal(stream.endReason, undefined);
    state.isReachable = true;
    await pass(600);
    assert.equal(stream.endReason, "unauthenticated");
  });
});
