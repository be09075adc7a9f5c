import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { CollectedMetrics } from "@muster/metrics/testing";
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { collect, failureOf, until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  connectInProcess,
  connectTo,
  type EchoImpl,
  principal,
  signer,
  startServer,
  verifier,
} from "../test/support/support.ts";
import { callerOf, principalHeader } from "./call-context.ts";
import { createRpcClient } from "./client.ts";
import { Reason, readRpcError } from "./errors.ts";
import { mountPartial } from "./handling.ts";
import { createInProcessTransport } from "./in-process-transport.ts";

const mebibyte = 1024 * 1024;

/** Requests without end, which count how many were taken. */
function flood(bytes: number) {
  const state = { taken: 0 };
  async function* requests() {
    const text = "x".repeat(bytes);
    for (; ; state.taken++) yield { text };
  }
  return { state, requests: requests() };
}

/** Resolves when the value has begun to change, and has stopped. */
async function settled(value: () => number): Promise<number> {
  let before = -1;
  await until(() => value() > 0);
  while (before !== value()) {
    before = value();
    await pause(100);
  }
  return before;
}

describe("a bidirectional call", () => {
  test("requests that a handler does not read stay with the caller but for 1 MiB, and continue when it reads", async (t) => {
    const release = Promise.withResolvers<void>();
    let read = 0;
    const impl: EchoImpl = {
      async *exchange(requests) {
        yield { text: "begun" };
        const each = requests[Symbol.asyncIterator]();
        await each.next();
        await release.promise;
        while (read < 100) {
          await each.next();
          read++;
        }
      },
    };
    const { address } = await startServer(t, impl);
    const { state, requests } = flood(200_000);
    const reading = collect(connectTo(t, address).exchange(requests));
    const taken = await settled(() => state.taken);
    assert.ok(taken >= 1 && taken * 200_000 <= mebibyte, `${taken} requests were taken`);
    release.resolve();
    await reading;
    assert.equal(read, 100);
  });

  test("within the process, a request is taken from the caller when the handler reads it", async () => {
    const { state, requests } = flood(10);
    const client = connectInProcess({
      async *exchange(received) {
        const each = received[Symbol.asyncIterator]();
        for (let number = 0; number < 3; number++) await each.next();
        yield { text: "read three" };
      },
    });
    assert.equal((await collect(client.exchange(requests))).length, 1);
    // A generator counts a request when it is asked for the next one.
    assert.equal(state.taken, 2);
  });

  test("responses that a caller does not read wait in the handler", async (t) => {
    let sent = 0;
    const { address } = await startServer(t, {
      async *exchange() {
        for (; ; sent++) yield { text: "x".repeat(20_000) };
      },
    });
    const responses = connectTo(t, address).exchange(flood(1).requests)[Symbol.asyncIterator]();
    await responses.next();
    const count = await settled(() => sent);
    assert.ok(count * 20_000 <= 256 * 1024, `${count} responses were sent`);
    await responses.return?.();
  });

  test("a stopping server ends it with UNAVAILABLE, also for a handler that waits for requests", async (t) => {
    const seen = Promise.withResolvers<unknown>();
    const { address, server } = await startServer(t, {
      async *exchange(requests) {
        yield { text: "begun" };
        await requests[Symbol.asyncIterator]().next();
        seen.resolve(await failureOf(requests[Symbol.asyncIterator]().next()));
      },
    });
    const once = async function* () {
      yield { text: "only" };
      await new Promise(() => {});
    };
    const responses = connectTo(t, address).exchange(once())[Symbol.asyncIterator]();
    await responses.next();
    const ending = failureOf(responses.next());
    await server.stop();
    assert.equal(readRpcError(await ending).reason, Reason.UNAVAILABLE);
    assert.equal(readRpcError(await seen.promise).reason, Reason.UNAVAILABLE);
  });

  test("it is never made again, whatever ends it", async (t) => {
    let calls = 0;
    const { address, server } = await startServer(t, {
      async *exchange() {
        calls++;
        yield { text: "begun" };
        await new Promise(() => {});
      },
    });
    const client = connectTo(t, address);
    const responses = client.exchange(flood(1).requests)[Symbol.asyncIterator]();
    await responses.next();
    await server.stop();
    await failureOf(responses.next());
    await startServer(t, { exchange: async function* () {} }, { port: Number(address.split(":")[1]) });
    await until(async () => (await failureOf(client.echo({}))) !== undefined);
    assert.equal(calls, 1);
  });

  test("requests that fail end the call with their error, and the handler is cancelled", async (t) => {
    const ended = Promise.withResolvers<void>();
    const { address } = await startServer(t, {
      async *exchange(requests) {
        try {
          for await (const { text } of requests) yield { text };
        } finally {
          ended.resolve();
        }
      },
    });
    const failing = async function* () {
      yield { text: "a" };
      throw new Error("the socket is gone");
    };
    const failure = await failureOf(collect(connectTo(t, address).exchange(failing())));
    assert.match(String(failure), /the socket is gone/);
    await ended.promise;
  });

  test("its caller is checked and counted like that of any call, in both transports", async (t) => {
    const metrics = new CollectedMetrics();
    const impl: EchoImpl = {
      async *exchange(_requests, context) {
        yield { text: callerOf(context).projectId };
      },
    };
    const { address } = await startServer(t, impl);
    const mounted = [mountPartial(EchoService, impl)];
    const local = createInProcessTransport(mounted, { verifier, metrics, log: silentLogger });
    for (const client of [connectTo(t, address), createRpcClient(EchoService, local)]) {
      const signed = { headers: { [principalHeader]: signer.sign(principal) } };
      const [response] = await collect(client.exchange(flood(1).requests, signed));
      assert.equal(response?.text, principal.projectId);
      const forged = { headers: { [principalHeader]: "forged" } };
      const failure = await failureOf(collect(client.exchange(flood(1).requests, forged)));
      assert.equal(readRpcError(failure).reason, Reason.PRINCIPAL_REFUSED);
      const missing = await failureOf(collect(client.exchange(flood(1).requests)));
      assert.equal(readRpcError(missing).reason, Reason.UNAUTHENTICATED);
    }
    const scraped = await metrics.read();
    const count = (code: string) => scraped.total("muster_rpc_requests_total", { method: "Exchange", code });
    assert.deepEqual([count("OK"), count("UNAUTHENTICATED")], [1, 2]);
  });
});
