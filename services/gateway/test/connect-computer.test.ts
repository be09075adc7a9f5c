import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { fromBinary } from "@bufbuild/protobuf";
import { createInProcessBus } from "@muster/events";
import { PlatformFrameSchema } from "@muster/proto/computer-frames";
import { callerOf, Reason, rpcError } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { type TestScope, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, type TestContext, test } from "vitest";
import { type RawData, WebSocket } from "ws";
import type { GatewayConfig } from "../src/config.ts";
import { type Edge, makeKey, type ScriptedComputers, startEdge } from "./support/start-edge.ts";

const protocol = "muster-computer.v1";

function startConnectEdge(
  t: TestScope,
  connect: ScriptedComputers["connect"],
  config: Partial<GatewayConfig> = {},
): Promise<Edge> {
  const bus = createInProcessBus({ log: silentLogger });
  return startEdge(t, {}, config, silentLogger, bus, {}, [], {}, connect ? { connect } : {});
}

/** Responds to each frame with the same. */
const echo: ScriptedComputers["connect"] = async function* (requests) {
  for await (const { frame } of requests) yield { frame };
};

interface Dialled {
  protocols?: string[];
  headers?: Record<string, string>;
}

function dial(t: TestContext, edge: Edge, token: string, { protocols = [protocol], headers }: Dialled = {}) {
  const url = `${edge.url.replace("http", "ws")}/api/v1/computers/connect`;
  const socket = new WebSocket(url, protocols, { headers: { authorization: `Bearer ${token}`, ...headers } });
  t.onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  return socket;
}

async function tokenOf(edge: Edge): Promise<string> {
  return (await edge.createComputerToken("cmp_1")).token;
}

async function refusalOf(socket: WebSocket): Promise<[status: number, code: unknown]> {
  const [, response] = await once(socket, "unexpected-response");
  return [response.statusCode, JSON.parse(await text(response)).code];
}

function goodbyeIn(data: RawData): string | undefined {
  assert.ok(Buffer.isBuffer(data));
  const { frame } = fromBinary(PlatformFrameSchema, data);
  return frame.case === "goodbye" ? frame.value.code : undefined;
}

/** The code of the last frame, and that of the close. */
async function endOf(socket: WebSocket): Promise<[goodbye: string | undefined, code: number]> {
  let last: RawData | undefined;
  socket.on("message", (data) => {
    last = data;
  });
  const [code] = await once(socket, "close");
  return [last && goodbyeIn(last), code];
}

describe("the connection of a computer", () => {
  const scope = suiteScope();
  let edge: Edge;
  beforeAll(async () => {
    edge = await startConnectEdge(scope, echo);
  });

  test("frames pass unread in both directions, in the name of the computer of the token", async (t) => {
    const computers: unknown[] = [];
    const edge = await startConnectEdge(t, async function* (requests, context) {
      computers.push(callerOf(context).computerId);
      yield* echo?.(requests, context) ?? [];
    });
    const socket = dial(t, edge, await tokenOf(edge));
    await once(socket, "open");
    assert.equal(socket.protocol, protocol);
    assert.equal(socket.extensions, "");
    const received: Buffer[] = [];
    socket.on("message", (data: Buffer) => received.push(data));
    const frames = [Buffer.from([1, 2, 3]), Buffer.alloc(1024 * 1024, 7), Buffer.alloc(0)];
    for (const frame of frames) socket.send(frame);
    await until("all frames are back", () => received.length === frames.length);
    assert.ok(received.every((frame, index) => frame.equals(frames[index] ?? Buffer.from("none"))));
    assert.deepEqual(computers, ["cmp_1"]);
  });

  test("a token of a computer opens nothing else, and nothing else opens the connection", async (t) => {
    const token = await tokenOf(edge);
    for (const [method, path] of [
      ["GET", "/api/agents"],
      ["GET", "/api/admin/computers"],
      ["GET", "/api/credential"],
      ["POST", "/api/tokens"],
    ] as const) {
      const { status, json } = await edge.call(method, path, {
        key: token,
        ...(method === "POST" && { body: {} }),
      });
      assert.deepEqual([status, json.code], [403, "FORBIDDEN"], path);
    }
    const { key } = await makeKey(edge, { permissions: ["workforce", "sessions"] });
    for (const other of [edge.adminKey, key])
      assert.deepEqual(await refusalOf(dial(t, edge, other)), [403, "FORBIDDEN"]);
    assert.deepEqual(await refusalOf(dial(t, edge, `${token.slice(0, -1)}_`)), [401, "UNAUTHENTICATED"]);
  });

  test("a page of a browser, another subprotocol and a request without an upgrade are refused", async (t) => {
    const token = await tokenOf(edge);
    const page = dial(t, edge, token, { headers: { origin: "https://evil.example" } });
    assert.deepEqual(await refusalOf(page), [403, "FORBIDDEN"]);
    for (const protocols of [[], ["muster-computer.v9"]])
      assert.deepEqual(await refusalOf(dial(t, edge, token, { protocols })), [400, "INVALID_REQUEST"]);
    const plain = await edge.call("GET", "/api/v1/computers/connect", {
      key: token,
      headers: { "sec-websocket-protocol": protocol },
    });
    assert.deepEqual([plain.status, plain.json.code], [400, "INVALID_REQUEST"]);
    const wrong = request(`${edge.url}/api/v1/computers/connect`, {
      headers: {
        ...{ connection: "Upgrade", upgrade: "websocket", authorization: `Bearer ${token}` },
        ...{
          "sec-websocket-protocol": protocol,
          "sec-websocket-version": "13",
          "sec-websocket-key": "short",
        },
      },
    }).end();
    const [response] = await once(wrong, "response");
    assert.equal(response.statusCode, 400);
    assert.match(JSON.parse(await text(response)).error, /Sec-WebSocket-Key/);
  });

  test("a text frame and one of more than 1 MiB end the connection", async (t) => {
    for (const [frame, code] of [
      ["text", 1003],
      [Buffer.alloc(1024 * 1024 + 1), 1009],
      [Buffer.alloc(32 * 1024 * 1024), 1009],
    ] as const) {
      const socket = dial(t, edge, await tokenOf(edge));
      await once(socket, "open");
      const closed = once(socket, "close");
      socket.send(frame);
      assert.equal((await closed)[0], code);
    }
  });

  test("a deleted token ends its open connection with the reason, and opens none afterwards", async (t) => {
    const { token, remove } = await edge.createComputerToken("cmp_1");
    const socket = dial(t, edge, token);
    await once(socket, "open");
    const end = endOf(socket);
    await remove();
    assert.deepEqual(await end, ["revoked", 1000]);
    assert.deepEqual(await refusalOf(dial(t, edge, token)), [401, "UNAUTHENTICATED"]);
  });

  test("a gateway that stops says so to its computers at once, however long streams may continue", async (t) => {
    const edge = await startConnectEdge(t, echo, { drainMs: 600_000 });
    const socket = dial(t, edge, await tokenOf(edge));
    await once(socket, "open");
    const end = endOf(socket);
    await edge.stop();
    assert.deepEqual(await end, ["stopping", 1000]);
  });

  test("a refusal of the workforce service is passed on, and its failure has the computer try again", async (t) => {
    let reason: Reason = Reason.NOT_FOUND;
    const edge = await startConnectEdge(t, async function* () {
      yield* [];
      throw rpcError(reason, "The computer was deleted.");
    });
    const token = await tokenOf(edge);
    assert.deepEqual(await endOf(dial(t, edge, token)), ["refused", 1000]);
    reason = Reason.UNAVAILABLE;
    assert.deepEqual(await endOf(dial(t, edge, token)), [undefined, 1013]);
  });

  test("a computer that sends faster than the platform reads is slowed, and one that leaves ends its call", async (t) => {
    const go = Promise.withResolvers<void>();
    let frames = 0;
    let hasEnded = false;
    const edge = await startConnectEdge(t, async function* (requests) {
      yield* [];
      try {
        await go.promise;
        for await (const { frame } of requests) frames += frame.length > 0 ? 1 : 0;
      } finally {
        hasEnded = true;
      }
    });
    const socket = dial(t, edge, await tokenOf(edge));
    await once(socket, "open");
    const count = 120;
    for (let sent = 0; sent < count; sent += 1) socket.send(Buffer.alloc(512 * 1024, 1));
    let waiting = -1;
    await until("nothing more is taken", () => {
      const before = waiting;
      waiting = socket.bufferedAmount;
      return waiting === before;
    });
    assert.ok(waiting > 20 * 1024 * 1024, `only ${waiting} bytes wait`);
    go.resolve();
    await until("all have arrived", () => frames === count);
    socket.terminate();
    await until("the call has ended", () => hasEnded);
  });
});
