import assert from "node:assert/strict";
import { serialize } from "bson";
import fc from "fast-check";
import { describe, test } from "vitest";
import { opMsg } from "../src/wire/op-msg.ts";
import { exchange, mutatedMessage, open } from "./support/mutated-messages.ts";
import { connectRaw, startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

describe("mutated messages", () => {
  test("after any mutated message the server has replied or closed the connection, and serves others", async (t) => {
    await fc.assert(
      fc.asyncProperty(mutatedMessage, async (bytes) => void (await exchange(server.uri, bytes))),
      {
        numRuns: 300,
      },
    );
    assert.equal((await connectRaw(t, server.uri).command({ ping: 1, $db: "admin" })).ok, 1);
    const faults = server.log.filter((line) => line.includes("failed inside the store"));
    assert.deepEqual(faults, []);
  });

  test("connections that are idle or stop within a message do not keep others from being served", async (t) => {
    const message = opMsg(serialize({ ping: 1, $db: "admin" }));
    const sockets = Array.from({ length: 200 }, () => open(server.uri));
    t.onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const [i, socket] of sockets.entries()) socket.write(message.subarray(0, i % message.length));
    const connection = connectRaw(t, server.uri);
    for (let i = 0; i < 20; i++) assert.equal((await connection.command({ ping: 1, $db: "admin" })).ok, 1);
  });

  test("a message of almost 48 MB is read, and a longer one closes the connection before it is read", async (t) => {
    const text = "x".repeat(15_000_000);
    const connection = connectRaw(t, server.uri);
    connection.socket.write(largeInsert(Array.from({ length: 3 }, (_, _id) => serialize({ _id, text }))));
    assert.equal((await connection.reply()).n, 3);
    const head = Buffer.alloc(16);
    head.writeInt32LE(48_000_001, 0);
    head.writeInt32LE(2013, 12);
    assert.equal(await exchange(server.uri, head), 0);
  });
});

/** An insert with its documents in a section of their own. */
function largeInsert(documents: readonly Uint8Array[]): Buffer {
  const name = Buffer.from("documents\0");
  const sequence = Buffer.concat([Buffer.alloc(5), name, ...documents]);
  sequence.writeUInt8(1, 0);
  sequence.writeInt32LE(sequence.length - 1, 1);
  const message = Buffer.concat([opMsg(serialize({ insert: "large", $db: "fuzz" })), sequence]);
  message.writeInt32LE(message.length, 0);
  return message;
}
