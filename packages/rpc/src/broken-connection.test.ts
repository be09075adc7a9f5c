import assert from "node:assert/strict";
import { once } from "node:events";
import { constants, createServer, type ServerHttp2Stream } from "node:http2";
import { Code } from "@connectrpc/connect";
import { CountResponseSchema, EchoResponseSchema } from "@muster/proto/testing";
import { collect, failureOf } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { connectTo } from "../test/support/support.ts";
import { encode } from "./codec.ts";
import { readRpcError } from "./errors.ts";

const header = { ":status": 200, "content-type": "application/grpc+proto" };

/** A bare HTTP/2 server, so that a test decides which frame is the last. */
async function startRaw(t: TestContext, answer: (stream: ServerHttp2Stream, call: number) => unknown) {
  let calls = 0;
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    answer(stream, ++calls);
  });
  t.onTestFinished(() => {
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return { address: `127.0.0.1:${address.port}`, calls: () => calls };
}

/** Sends the header and cuts the connection. */
function breakOff(stream: ServerHttp2Stream): void {
  stream.respond(header);
  setTimeout(() => stream.session?.socket.destroy(), 20);
}

const echoed = framed(encode(EchoResponseSchema, { text: "whole" }, "response"));
const counted = framed(encode(CountResponseSchema, { text: "whole" }, "response"));

/** The message as it travels: after its length. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([prefix, message]);
}

function respond(stream: ServerHttp2Stream, message = echoed): void {
  stream.respond(header, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(message);
}

/** The view that a client has of a process that ends before it responds, by how it ends and who notices first. */
const ends: Array<[string, (stream: ServerHttp2Stream) => unknown]> = [
  ["an ended connection", (stream) => stream.session?.socket.destroy()],
  ["a reset connection", (stream) => stream.session?.socket.resetAndDestroy()],
  ["a cancelled stream", (stream) => stream.close(constants.NGHTTP2_CANCEL)],
  ["a stream that ends with an internal error", (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
  ["a stream that ends without a status", (stream) => stream.close(constants.NGHTTP2_NO_ERROR)],
  ["a connection that the server leaves", (stream) => stream.session?.destroy()],
];

describe("a call that ends before the header", () => {
  test.for(ends)("%s loses no call that is safe to repeat, and repeats no other", async ([, end], t) => {
    const { address, calls } = await startRaw(t, (stream, call) =>
      call % 2 === 1 ? end(stream) : respond(stream, call === 2 ? echoed : counted),
    );
    const client = connectTo(t, address);
    assert.equal((await client.echo({})).text, "whole");
    assert.deepEqual(
      (await collect(client.count({}))).map(({ text }) => text),
      ["whole"],
    );
    assert.equal(readRpcError(await failureOf(client.append({}))).code, Code.Unavailable);
    assert.equal(calls(), 5);
  });
});

describe("a connection that breaks after the header", () => {
  test("a connection that breaks after the header loses no call that is safe to repeat", async (t) => {
    const { address, calls } = await startRaw(t, (stream, call) =>
      call % 2 === 1 ? breakOff(stream) : respond(stream, call === 2 ? echoed : counted),
    );
    const client = connectTo(t, address);
    assert.equal((await client.echo({})).text, "whole");
    assert.deepEqual(
      (await collect(client.count({}))).map(({ text }) => text),
      ["whole"],
    );
    assert.equal(calls(), 4);
  });

  test("a connection that breaks after the header fails other calls with UNAVAILABLE, without repeating them", async (t) => {
    const { address, calls } = await startRaw(t, breakOff);
    const client = connectTo(t, address);
    assert.equal(readRpcError(await failureOf(client.append({}))).code, Code.Unavailable);
    assert.equal(calls(), 1);
  });

  test("a stream that breaks after its first message fails with UNAVAILABLE, without being repeated", async (t) => {
    const { address, calls } = await startRaw(t, (stream) => {
      breakOff(stream);
      stream.write(counted);
    });
    const failure = await failureOf(collect(connectTo(t, address).count({})));
    assert.equal(readRpcError(failure).code, Code.Unavailable);
    assert.equal(calls(), 1);
  });
});

describe("a server that breaks the protocol", () => {
  test("a call that a server ends without a status fails with UNAVAILABLE", async (t) => {
    const { address } = await startRaw(t, (stream) => {
      stream.respond(header);
      stream.end();
    });
    assert.ok(
      [Code.Unavailable, Code.Unknown].includes(
        readRpcError(await failureOf(connectTo(t, address).append({}))).code,
      ),
    );
  });

  test("a response that is not a valid message causes an internal error", async (t) => {
    const { address } = await startRaw(t, (stream) => {
      stream.respond(header, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(Buffer.from([0, 0, 0, 0, 2, 255, 255]));
    });
    assert.equal(readRpcError(await failureOf(connectTo(t, address).append({}))).code, Code.Internal);
  });
});
