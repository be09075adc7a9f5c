import assert from "node:assert/strict";
import { Code } from "@connectrpc/connect";
import { collect, failureOf, until } from "@muster/testing";
import { describe, test } from "vitest";
import { startBackend } from "../../test/support/child-backend.ts";
import { connectTo, type EchoClient, type EchoImpl, startServer } from "../../test/support/support.ts";
import { Reason, readRpcError, rpcError } from "../errors.ts";

/** Calls without a pause from several callers until stopped; returns how often each backend responded. */
function load(client: EchoClient, callers: number) {
  const answers = new Map<string, number>();
  const failures: unknown[] = [];
  let isRunning = true;
  const running = Array.from({ length: callers }, async () => {
    while (isRunning) {
      try {
        const { server } = await client.echo({ text: "a" });
        answers.set(server, (answers.get(server) ?? 0) + 1);
      } catch (error) {
        failures.push(error);
      }
    }
  });
  return {
    answers,
    failures,
    async stop() {
      isRunning = false;
      await Promise.all(running);
    },
  };
}

describe("two backends", () => {
  test("two backends share the calls evenly", async (t) => {
    const first = await startServer(t, { echo: () => ({ server: "first" }) });
    const second = await startServer(t, { echo: () => ({ server: "second" }) });
    const client = connectTo(t, first.address, second.address);
    const running = load(client, 4);
    await until(() => running.answers.size === 2);
    running.answers.clear();
    await until(() => (running.answers.get("first") ?? 0) + (running.answers.get("second") ?? 0) > 200);
    await running.stop();
    const share = (running.answers.get("first") ?? 0) / (running.answers.get("second") ?? 1);
    assert.ok(share > 0.9 && share < 1.1, `the shares are ${share}`);
  });

  test("a backend killed under load loses no unary call, and its streams end with UNAVAILABLE", async (t) => {
    const [first, second] = await Promise.all([startBackend(t), startBackend(t)]);
    const client = connectTo(t, first.address, second.address);
    const running = load(client, 32);
    await until(() => running.answers.size === 2);
    const streams = Array.from({ length: 8 }, () => follow(client));
    await until(() => streams.every((stream) => stream.seen > 3));
    await first.kill();
    const killedAnswers = running.answers.get(first.pid);
    const orphans = streams.filter((stream) => stream.server === first.pid);
    const others = streams.filter((stream) => stream.server === second.pid);
    assert.ok(orphans.length > 0 && others.length > 0);
    for (const orphan of orphans) assert.equal(await orphan.code, Code.Unavailable);
    const before = others.map((stream) => stream.seen);
    await until(() => others.every((stream, i) => stream.seen > (before[i] ?? 0) + 5));
    await until(() => (running.answers.get(second.pid) ?? 0) > 2000);
    await running.stop();
    assert.deepEqual(running.failures, []);
    assert.ok((running.answers.get(first.pid) ?? 0) - (killedAnswers ?? 0) < 64);
    await second.kill();
    for (const other of others) assert.equal(await other.code, Code.Unavailable);
  });

  test("two backends are tried in turn only for calls that are safe to repeat", async (t) => {
    const tries = { echo: 0, append: 0, count: 0 };
    const refuse = (method: keyof typeof tries): never => {
      tries[method]++;
      throw rpcError(Reason.UNAVAILABLE, "Try again.");
    };
    const impl: EchoImpl = {
      echo: () => refuse("echo"),
      append: () => refuse("append"),
      // biome-ignore lint/correctness/useYield: it fails before the first message.
      async *count() {
        refuse("count");
      },
    };
    const [first, second] = [await startServer(t, impl), await startServer(t, impl)];
    const client = connectTo(t, first.address, second.address);
    const calls = [() => client.echo({}), () => client.append({}), () => collect(client.count({}))];
    for (const call of calls) {
      assert.equal(readRpcError(await failureOf(call())).reason, Reason.UNAVAILABLE);
    }
    assert.deepEqual(tries, { echo: 4, append: 1, count: 4 });
  });
});

/** Reads a stream to its end. */
function follow(client: EchoClient) {
  const state = { seen: 0, server: "", code: Promise.resolve<Code | undefined>(undefined) };
  state.code = (async () => {
    try {
      for await (const { text } of client.count({})) {
        state.seen++;
        state.server = text;
      }
      return undefined;
    } catch (error) {
      return readRpcError(error).code;
    }
  })();
  return state;
}

describe("a backend that returns", () => {
  test("a backend that returns is called again", async (t) => {
    const first = await startServer(t, { echo: () => ({ server: "first" }) });
    const client = connectTo(t, first.address);
    assert.equal((await client.echo({})).server, "first");
    await first.server.stop();
    const failure = await client.echo({}).then(
      () => undefined,
      (error) => readRpcError(error).code,
    );
    assert.equal(failure, Code.Unavailable);
    await startServer(
      t,
      { echo: () => ({ server: "again" }) },
      { port: Number(first.address.split(":")[1]) },
    );
    let answer = "";
    while (answer === "") {
      answer = await client.echo({}).then(
        ({ server }) => server,
        () => "",
      );
    }
    assert.equal(answer, "again");
  });
});
