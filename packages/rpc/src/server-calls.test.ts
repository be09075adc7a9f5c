import assert from "node:assert/strict";
import { once } from "node:events";
import { Server, ServerCredentials, type ServerWritableStream } from "@grpc/grpc-js";
import { EchoService } from "@muster/proto/testing";
import { silentLogger } from "@muster/service";
import { collect, failureOf } from "@muster/testing";
import { test } from "vitest";
import { connectTo, verifier } from "../test/support/support.ts";
import type { CallContext } from "./call-context.ts";
import { methodPath, mountPartial } from "./handling.ts";
import { streamHandler } from "./server-calls.ts";

const passBytes = (bytes: Buffer) => bytes;

type Stream = ServerWritableStream<Buffer, Buffer>;

const cancelled: Readonly<Record<string, (call: Stream) => Stream>> = {
  "before its handler began": (call) => call,
  // grpc-js makes such a stream if the cancellation overtakes the end of the request.
  "before its request was read": (call) => {
    const { metadata, request } = call;
    const args = [call.getPath(), Reflect.get(call, "call"), metadata, request];
    return Reflect.construct(Object.getPrototypeOf(call).constructor, args);
  },
};

test.for(Object.entries(cancelled))(
  "a stream whose call was cancelled %s ends, instead of waiting for a reader indefinitely",
  async ([, given], t) => {
    const signals: boolean[] = [];
    const mounted = mountPartial(EchoService, {
      async *count(_request, { signal }) {
        signals.push(signal.aborted);
        // More than the connection accepts without a reader.
        for (let number = 1; ; number += 1) yield { number, text: "x".repeat(64 * 1024) };
      },
    }).methods.get(EchoService.method.count);
    assert.ok(mounted?.kind === "server_streaming");
    const running = new Set<CallContext>();
    const handle = streamHandler({ verifier, log: silentLogger, running }, mounted);
    const arrived = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const late = async (call: Stream) => {
      arrived.resolve();
      if (!call.cancelled) await once(call, "cancelled");
      // The other listeners of the event run first.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.resolve(handle(given(call))).then(ended.resolve, ended.reject);
    };
    const server = new Server();
    server.register(methodPath(mounted.method), late, passBytes, passBytes, "serverStream");
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
    t.onTestFinished(() => server.forceShutdown());
    const leaving = new AbortController();
    const reading = failureOf(
      collect(connectTo(t, `127.0.0.1:${port}`).count({}, { signal: leaving.signal })),
    );
    await arrived.promise;
    leaving.abort();
    await reading;
    await ended.promise;
    assert.deepEqual([signals, running.size], [[true], 0]);
  },
);
