import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { EchoService } from "@muster/proto/testing";
import type { Logger } from "@muster/service";
import { failureOf, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, type TestContext, test } from "vitest";
import { type Backend, startBackend } from "../../test/support/child-backend.ts";
import { recordingLog } from "../../test/support/support.ts";
import { createRpcClient } from "../client.ts";
import { readRpcError } from "../errors.ts";
import { createRpcTransport } from "../rpc-transport.ts";
import { CallTarget } from "./call-target.ts";
import { Instances } from "./instances.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** Ends before HTTP/2's keepalive would find out by itself, after 15 s. */
const timeoutMs = 12_000;

function connectTo(
  t: TestContext,
  backends: Backend[],
  silence = { suspectAfterMs: 100, maxPauses: 3 },
  log?: Logger,
) {
  const transport = createRpcTransport({
    addresses: backends.map(({ address }) => address),
    services: [EchoService],
    ...(log && { log }),
    silence: { ...silence, probeTimeoutMs: 2_000, retryEveryMs: 50 },
  });
  t.onTestFinished(() => transport.close());
  const client = createRpcClient(EchoService, transport);
  return { client, serverOf: async () => (await client.echo({}, { timeoutMs })).server };
}

/** Calls until both have responded, so that both are connected. */
async function untilBothRespond(serverOf: () => Promise<string>): Promise<void> {
  const seen = new Set<string>();
  await until("both backends respond", async () => seen.add(await serverOf()).size === 2);
}

const scope = suiteScope();
/** Two processes for all tests, which thaw what they freeze. */
let backends: [Backend, Backend];

beforeAll(async () => {
  backends = await Promise.all([startBackend(scope), startBackend(scope)]);
});

test("safe calls that reach a frozen instance are repeated on another, and later calls avoid it until it thaws", async (t) => {
  const [first, second] = backends;
  const { client, serverOf } = connectTo(t, [first, second]);
  await untilBothRespond(serverOf);
  first.freeze();
  const servers = await Promise.all(Array.from({ length: 8 }, serverOf));
  assert.deepEqual([...new Set(servers)], [second.pid]);
  // These are never repeated: if one reached the frozen instance, it would fail.
  for (let n = 0; n < 20; n++) await client.append({}, { timeoutMs });
  first.thaw();
  await until("the thawed instance responds again", async () => (await serverOf()) === first.pid, 60_000);
});

test("a stream that runs on a frozen instance is not touched and continues when it thaws", async (t) => {
  const [first, second] = backends;
  const { client, serverOf } = connectTo(t, [first, second]);
  await untilBothRespond(serverOf);
  const streams = [0, 1].map(() => client.count({})[Symbol.asyncIterator]());
  const begun = await Promise.all(
    streams.map(async (stream) => ({ stream, text: (await stream.next()).value?.text })),
  );
  const onFirst = begun.find(({ text }) => text === first.pid);
  assert.ok(onFirst);
  first.freeze();
  await Promise.all(Array.from({ length: 4 }, serverOf));
  first.thaw();
  let last = 0;
  while (last < 200) {
    const { value, done } = await onFirst.stream.next();
    assert.equal(done, false);
    last = value?.number ?? 0;
  }
  for (const { stream } of begun) await stream.return?.();
});

test("calls and streams to the only instance fail with UNAVAILABLE while it is frozen, and work when it thaws", async (t) => {
  const [only] = backends;
  const { client, serverOf } = connectTo(t, [only]);
  await serverOf();
  only.freeze();
  const stream = client.count({}, { timeoutMs })[Symbol.asyncIterator]();
  const failures = await Promise.all([
    failureOf(serverOf()),
    failureOf(client.append({}, { timeoutMs })),
    failureOf(stream.next()),
  ]);
  for (const failure of failures) assert.equal(readRpcError(failure).code, Code.Unavailable);
  only.thaw();
  const isBack = async () => (await serverOf().catch(() => "")) === only.pid;
  await until("the instance responds again", isBack, 60_000);
});

test("calls to the only instance wait while it is silent, and run once it responds again", async (t) => {
  const [only] = backends;
  const { log, lines } = recordingLog();
  const { client, serverOf } = connectTo(t, [only], { suspectAfterMs: 500, maxPauses: 1_000 }, log);
  await serverOf();
  only.freeze();
  const sent = client.append({}, { timeoutMs });
  await until("the instance is taken for silent", () => lines.length > 0, timeoutMs);
  const calls = Promise.all([
    sent,
    serverOf(),
    client.append({}),
    client.count({})[Symbol.asyncIterator]().next(),
  ]);
  only.thaw();
  assert.equal((await calls)[1], only.pid);
});

test("a slow instance that responds to probes keeps its call", async (t) => {
  let probes = 0;
  const gaveUp: unknown[] = [];
  const instances = new Instances({
    probe: async () => {
      probes++;
      return true;
    },
    retryEveryMs: 1,
  });
  const target = new CallTarget();
  target.address = "127.0.0.1:7003";
  const watch = new SilenceWatch(
    { instances, suspectAfterMs: 1, pauseMs: 1, maxPauses: 0 },
    { target, canMove: true },
    (error) => gaveUp.push(error),
  );
  t.onTestFinished(() => watch.heard());
  await until("the instance was probed three times", () => probes >= 3);
  assert.deepEqual(gaveUp, []);
});
