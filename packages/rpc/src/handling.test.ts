import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { CollectedMetrics } from "@muster/metrics/testing";
import { EchoRequestSchema, EchoService } from "@muster/proto/testing";
import { type Logger, silentLogger } from "@muster/service";
import { collect, failureOf, until } from "@muster/testing";
import { describe, onTestFinished, type TestContext, test } from "vitest";
import {
  connectInProcess,
  connectTo,
  type EchoClient,
  type EchoImpl,
  principal,
  recordingLog,
  signer,
  startServer,
  verifier,
} from "../test/support/support.ts";
import { callerOf, callOptions, principalHeader, requestIdOf, requirePermission } from "./call-context.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError, rpcError } from "./errors.ts";
import { mountPartial, outageError } from "./handling.ts";
import { createInProcessTransport } from "./in-process-transport.ts";
import { createRpcServer } from "./rpc-server.ts";
import { createRpcTransport } from "./rpc-transport.ts";

type Connect = (t: TestContext, impl: EchoImpl, log?: Logger) => Promise<EchoClient>;

const ways: Record<string, Connect> = {
  "over gRPC": async (t, impl, log) =>
    connectTo(t, (await startServer(t, impl, log === undefined ? {} : { log })).address),
  "in process": async (_t, impl, log) => connectInProcess(impl, log),
};

for (const [name, connect] of Object.entries(ways)) {
  describe(`handlers ${name}`, () => {
    test("a handler knows its caller and the request id", async (t) => {
      const client = await connect(t, {
        echo(_request, context) {
          assert.deepEqual(callerOf(context), principal);
          return { text: requestIdOf(context) };
        },
        async *count(_request, context) {
          assert.deepEqual(callerOf(context), principal);
          yield { text: requestIdOf(context) };
        },
      });
      const options = callOptions({ principal: signer.sign(principal), requestId: "req_7" });
      assert.equal((await client.echo({}, options)).text, "req_7");
      assert.equal((await collect(client.count({}, options)))[0]?.text, "req_7");
    });

    test("a handler finds no caller in a call without a principal, but still a request id", async (t) => {
      const client = await connect(t, {
        echo: (_request, context) => ({ text: requestIdOf(context) }),
        async *count(_request, context) {
          yield { text: callerOf(context).keyId };
        },
      });
      assert.match((await client.echo({})).text, /^req_.+/);
      assert.equal(readRpcError(await failureOf(collect(client.count({})))).reason, Reason.UNAUTHENTICATED);
    });

    test("a handler never sees a request id that would break a log line", async (t) => {
      const client = await connect(t, { echo: (_request, context) => ({ text: requestIdOf(context) }) });
      const { text } = await client.echo({}, callOptions({ requestId: 'a" b' }));
      assert.match(text, /^req_[\w-]+$/);
    });

    test("a call with a forged principal does not reach the handler", async (t) => {
      let calls = 0;
      const client = await connect(t, {
        echo() {
          calls++;
          return {};
        },
        // biome-ignore lint/correctness/useYield: it must not be reached.
        async *count() {
          calls++;
        },
      });
      const options = callOptions({ principal: `${signer.sign(principal)}x`, requestId: "req_7" });
      for (const call of [() => client.echo({}, options), () => collect(client.count({}, options))]) {
        assert.equal(readRpcError(await failureOf(call())).reason, Reason.PRINCIPAL_REFUSED);
      }
      assert.equal(calls, 0);
    });

    test("a handler refuses a caller without the permission and names it", async (t) => {
      const client = await connect(t, {
        echo(_request, context) {
          requirePermission(callerOf(context), "workforce", "agents");
          requirePermission(callerOf(context), "mint-tokens", "admin");
          return {};
        },
      });
      const options = callOptions({ principal: signer.sign(principal), requestId: "req_7" });
      const failure = readRpcError(await failureOf(client.echo({}, options)));
      assert.equal(failure.reason, Reason.FORBIDDEN);
      assert.match(failure.message, /`mint-tokens` or `admin`/);
    });

    test("a handler that fails unexpectedly leaks nothing and is logged with the request id", async (t) => {
      const { log, lines } = recordingLog();
      const client = await connect(
        t,
        {
          echo() {
            throw new Error("the password is 123");
          },
          async *count() {
            yield {};
            throw new TypeError("the password is 123");
          },
        },
        log,
      );
      const options = callOptions({ requestId: "req_8" });
      for (const call of [() => client.echo({}, options), () => collect(client.count({}, options))]) {
        const failure = await failureOf(call());
        assert.equal(readRpcError(failure).code, Code.Internal);
        assert.doesNotMatch(String(failure), /password/);
      }
      assert.equal(lines.length, 2);
      for (const line of lines) {
        assert.match(line, /the password is 123/);
        assert.match(line, /req_8/);
        assert.match(line, /EchoService/);
      }
    });

    test("a call that a full disk refuses is logged in one short line with its code, its method and the remedy", async (t) => {
      const { log, lines } = recordingLog();
      const full = { message: "The disk is full. Free space on it.", isStorageFull: true };
      const client = await connect(
        t,
        {
          echo() {
            throw outageError(full, new Error("ENOSPC"));
          },
        },
        log,
      );
      await failureOf(client.echo({}));
      const [line = ""] = lines;
      assert.match(line, /"code":"STORAGE_FULL"/);
      assert.match(line, /EchoService\/Echo/);
      assert.match(line, /Free space on it/);
      assert.ok(line.length < 400, line);
    });

    test("a refusal is logged without the descriptors of its details", async (t) => {
      const { log, lines } = recordingLog();
      const client = await connect(
        t,
        {
          echo() {
            throw rpcError(Reason.SESSION_BUSY, "Wait.", { retryAfterMs: 1, cause: new Error("a lock") });
          },
        },
        log,
      );
      await failureOf(client.echo({}));
      assert.match(lines[0] ?? "", /a lock/);
      assert.doesNotMatch(lines[0] ?? "", /DescriptorProto/);
    });

    test("the cause of a deliberate refusal appears only in the log", async (t) => {
      const { log, lines } = recordingLog();
      const client = await connect(
        t,
        {
          echo() {
            throw rpcError(Reason.UNAVAILABLE, "Try again.", { cause: new Error("disk on fire") });
          },
        },
        log,
      );
      const failure = await failureOf(client.echo({}, { timeoutMs: 10_000 }));
      assert.doesNotMatch(String(failure), /disk/);
      assert.match(lines[0] ?? "", /disk on fire/);
    });

    test("a handler that ignores its deadline delays no caller", async (t) => {
      const client = await connect(t, {
        echo: () => new Promise(() => {}),
        async *count() {
          yield { number: 1 };
          await new Promise(() => {});
        },
      });
      const unary = await failureOf(client.echo({}, { timeoutMs: 30 }));
      assert.equal(readRpcError(unary).code, Code.DeadlineExceeded);
      const stream = await failureOf(collect(client.count({}, { timeoutMs: 30 })));
      assert.equal(readRpcError(stream).code, Code.DeadlineExceeded);
    });

    test("a handler that streams without a pause still ends at its deadline", async (t) => {
      const client = await connect(t, {
        async *count() {
          for (let number = 1; ; number++) yield { number };
        },
      });
      const failure = await failureOf(
        (async () => {
          for await (const _message of client.count({}, { timeoutMs: 30 }));
        })(),
      );
      assert.equal(readRpcError(failure).code, Code.DeadlineExceeded);
    });

    test("the signal of a handler that has ended is aborted, so that its listeners are released", async (t) => {
      const seen = Promise.withResolvers<void>();
      const client = await connect(t, {
        echo(_request, { signal }) {
          signal.addEventListener("abort", () => seen.resolve());
          return {};
        },
      });
      await client.echo({});
      await seen.promise;
    });

    test("a streaming handler does no work ahead of a reader that stopped", async (t) => {
      let produced = 0;
      const text = "x".repeat(64 * 1024);
      const client = await connect(t, {
        async *count() {
          for (;;) {
            produced++;
            yield { number: produced, text };
          }
        },
        echo: ({ text }) => ({ text }),
      });
      const reader = client.count({})[Symbol.asyncIterator]();
      await reader.next();
      // Other calls continue on the same connection, which leaves the handler time to run ahead.
      for (let i = 0; i < 200; i++) await client.echo({ text });
      assert.ok(produced < 100, `${produced} messages were produced`);
      const before = produced;
      for (let i = 0; i < 200; i++) await reader.next();
      assert.ok(produced > before);
      await reader.return?.();
    });
  });
}

test("in process, a message is passed on as the same object, and the handler is pulled once per read", async () => {
  let produced = 0;
  const seen: unknown[] = [];
  const client = connectInProcess({
    echo(request) {
      seen.push(request);
      return {};
    },
    async *count() {
      for (;;) yield { number: ++produced };
    },
  });
  const request = create(EchoRequestSchema, { text: "a" });
  await client.echo(request);
  assert.equal(seen[0], request);
  const reader = client.count({})[Symbol.asyncIterator]();
  for (let reads = 1; reads <= 5; reads++) {
    await reader.next();
    assert.equal(produced, reads);
  }
});

const service = EchoService.typeName;

const impl: EchoImpl = {
  async echo({ text }) {
    if (text === "missing") throw rpcError(Reason.NOT_FOUND, "There is none.");
    if (text === "broken") throw new Error("a bug");
    return { text };
  },
  async *count(_request, { signal }) {
    yield { number: 1 };
    while (!signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    throw new ConnectError("left", Code.Canceled);
  },
};

async function overNetwork() {
  const metrics = new CollectedMetrics();
  const services = [mountPartial(EchoService, impl)];
  const server = createRpcServer({
    services,
    verifier,
    metrics,
    log: silentLogger,
    host: "127.0.0.1",
    port: 0,
  });
  const { address } = await server.start();
  onTestFinished(() => server.stop());
  const transport = createRpcTransport({ addresses: [address], services: [EchoService] });
  onTestFinished(() => transport.close());
  return { metrics, client: createRpcClient(EchoService, transport) };
}

async function inProcess() {
  const metrics = new CollectedMetrics();
  const handling = { verifier, metrics, log: silentLogger };
  const transport = createInProcessTransport([mountPartial(EchoService, impl)], handling);
  return { metrics, client: createRpcClient(EchoService, transport) };
}

for (const [name, connect] of Object.entries({ "over gRPC": overNetwork, "in one process": inProcess }))
  describe(`served calls ${name}`, () => {
    test("are counted by the outcome that their caller received, and unary ones timed", async () => {
      const { metrics, client } = await connect();
      await client.echo({ text: "a" });
      await client.echo({ text: "b" });
      await failureOf(client.echo({ text: "missing" }));
      await failureOf(client.echo({ text: "broken" }));
      await failureOf(client.echo({ text: "a" }, { headers: { [principalHeader]: "forged" } }));
      const scraped = await metrics.read();
      const count = (code: string) =>
        scraped.total("muster_rpc_requests_total", { service, method: "Echo", code });
      const codes = ["OK", "NOT_FOUND", "INTERNAL", "UNAUTHENTICATED"];
      assert.deepEqual(codes.map(count), [2, 1, 1, 1]);
      assert.equal(scraped.total("muster_rpc_request_duration_seconds", { service, method: "Echo" }), 5);
    });

    test("that stream are counted once they have ended", async () => {
      const { metrics, client } = await connect();
      for await (const { number } of client.count({})) {
        assert.equal(number, 1);
        assert.equal((await metrics.read()).total("muster_rpc_requests_total"), 0);
        break;
      }
      const count = async () =>
        (await metrics.read()).total("muster_rpc_requests_total", { method: "Count", code: "CANCELED" });
      await until("it has ended", async () => (await count()) === 1);
      assert.equal((await metrics.read()).total("muster_rpc_requests_total"), 1);
      assert.equal((await metrics.read()).total("muster_rpc_request_duration_seconds"), 0);
    });
  });
