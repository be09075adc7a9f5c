import assert from "node:assert/strict";
import { connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { StreamDecoder } from "@grpc/grpc-js/build/src/stream-decoder.js";
import { EchoRequestSchema, EchoService } from "@muster/proto/testing";
import { until } from "@muster/testing";
import fc from "fast-check";
import { test } from "vitest";
import { startServer } from "../test/support/support.ts";
import { methodPath } from "./handling.ts";

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

test("messages are the same, however they are divided into frames", () => {
  const message = fc.uint8Array({ maxLength: 20_000 });
  const property = fc.property(
    fc.array(message, { minLength: 1, maxLength: 3 }),
    fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1 }),
    (messages, sizes) => {
      const bytes = Buffer.concat(messages.map(framed));
      const decoder = new StreamDecoder(-1);
      const decoded: Buffer[] = [];
      for (let start = 0, n = 0; start < bytes.length; n++) {
        const size = sizes[n % sizes.length] ?? 1;
        decoded.push(...decoder.write(bytes.subarray(start, start + size)));
        start += size;
      }
      assert.deepEqual(decoded, messages.map(framed));
    },
  );
  fc.assert(property);
});

test("a message that arrives in frames of one byte is kept in few pieces, and a server reads it", async (t) => {
  const seen: Array<[bytes: number, pieces: number]> = [];
  const { write } = StreamDecoder.prototype;
  StreamDecoder.prototype.write = function (this: StreamDecoder, data) {
    const messages = write.call(this, data);
    seen.push([data.length, Reflect.get(this, "readPartialMessage").length]);
    return messages;
  };
  t.onTestFinished(() => {
    StreamDecoder.prototype.write = write;
  });
  let received = "";
  const { address } = await startServer(t, {
    echo: ({ text }) => {
      received = text;
      return {};
    },
  });
  const session = connect(`http://${address}`);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": methodPath(EchoService.method.echo),
    "content-type": "application/grpc+proto",
    te: "trailers",
  });
  stream.resume();
  const text = "abcdefgh".repeat(2_500);
  const bytes = framed(toBinary(EchoRequestSchema, create(EchoRequestSchema, { text })));
  for (const byte of bytes) {
    await new Promise((resolve) => stream.write(Buffer.of(byte), resolve));
  }
  stream.end();
  await until("the server has read it", () => received !== "");
  assert.equal(received, text);
  assert.ok(seen.length > bytes.length / 2, `${seen.length} frames`);
  assert.ok(Math.max(...seen.map(([, pieces]) => pieces)) < 20);
});
