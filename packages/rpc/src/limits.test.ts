import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { collect, failureOf } from "@muster/testing";
import { test } from "vitest";
import { connectPeer, connectTo, startPeer, startServer } from "../test/support/support.ts";
import { maxMessageBytes } from "./codec.ts";

const fits = new Uint8Array(maxMessageBytes - 1024);
const tooLarge = new Uint8Array(maxMessageBytes + 1024);

function isExhausted(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.ResourceExhausted;
}

test("the client refuses a request of more than 24 MiB before sending it, and the connection keeps working", async (t) => {
  const { address } = await startServer(t, { echo: ({ payload }) => ({ payload }) });
  const client = connectTo(t, address);
  const failure = await failureOf(client.echo({ payload: tooLarge }));
  assert.ok(isExhausted(failure));
  assert.match(String(failure), /request has \d+ bytes; at most 25165824/);
  assert.equal((await client.echo({ payload: fits })).payload.byteLength, fits.byteLength);
});

test("the server refuses a request of more than 24 MiB, and the connection keeps working", async (t) => {
  const { address } = await startServer(t, { echo: ({ payload }) => ({ payload }) });
  const client = connectPeer(address);
  assert.ok(isExhausted(await failureOf(client.echo({ payload: tooLarge }))));
  assert.equal((await client.echo({ payload: fits })).payload.byteLength, fits.byteLength);
});

test("the server refuses a response of more than 24 MiB, and the connection keeps working", async (t) => {
  const release = Promise.withResolvers<void>();
  const { address } = await startServer(t, {
    echo: ({ text }) => ({ payload: text === "large" ? tooLarge : fits }),
    async *count({ to }) {
      yield { number: 1 };
      await release.promise;
      yield { text: "x".repeat(to) };
    },
  });
  const client = connectTo(t, address);
  // A stream on the same connection, open throughout.
  const reader = client.count({ to: 3 })[Symbol.asyncIterator]();
  await reader.next();
  const other = collect(client.count({ to: tooLarge.byteLength }));
  const failure = await failureOf(client.echo({ text: "large" }));
  assert.ok(isExhausted(failure));
  assert.match(String(failure), /response has \d+ bytes/);
  release.resolve();
  assert.ok(isExhausted(await failureOf(other)));
  assert.equal((await reader.next()).value?.text, "xxx");
  assert.equal((await client.echo({})).payload.byteLength, fits.byteLength);
});

test("the client refuses a response of more than 24 MiB, and the connection keeps working", async (t) => {
  const address = await startPeer(t, {
    echo: ({ text }) => ({ payload: text === "large" ? tooLarge : fits }),
  });
  const client = connectTo(t, address);
  assert.ok(isExhausted(await failureOf(client.echo({ text: "large" }))));
  assert.equal((await client.echo({})).payload.byteLength, fits.byteLength);
});
