import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type ComputerFrame, ComputerFrameSchema, PlatformFrameSchema } from "@muster/proto/computer-frames";
import { type TestScope, until } from "@muster/testing";
import { type WebSocket, WebSocketServer } from "ws";

type Frame = ComputerFrame["frame"];
type Sent = NonNullable<MessageInitShape<typeof PlatformFrameSchema>["frame"]>;

export const agent = { agentId: "agt_1", agentName: "Lou" };

/** A platform that does what a test says. */
export interface Platform {
  url: string;
  /** All frames of all connections, without pings. */
  frames: Frame[];
  connections: number;
  /** The headers of the latest connection. */
  headers: IncomingMessage["headers"];
  /** Whether Hello is answered with Welcome, pings with pongs, and outcomes with acks. */
  welcomes: boolean;
  acknowledges: boolean;
  epoch: bigint;
  /** The computer of the token. */
  computerId: string;
  /** If set, an upgrade gets this response instead. */
  refusal: { status: number; body: string; headers?: Record<string, string> } | undefined;
  connected(): Promise<void>;
  send(frame: Sent): void;
  sendBytes(bytes: Uint8Array | string): void;
  call(callId: string, name: string, args: unknown, epoch?: bigint): void;
  /** Resolves with the outcome of a call, the `count`th one that arrives. */
  outcome(callId: string, count?: number): Promise<unknown>;
  /** Sends a call and resolves with its outcome. */
  run(callId: string, command: string): Promise<unknown>;
  cut(): void;
  close(code: string, message: string): void;
  socket(): WebSocket;
}

/** With a certificate, over https. */
export async function startPlatform(
  t: TestScope,
  certificate?: { key: string; cert: string },
): Promise<Platform> {
  const sockets: WebSocket[] = [];
  const respond = (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(404).end("nothing here");
  const created = certificate ? createTlsServer(certificate, respond) : createServer(respond);
  const server = created.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upgrades = new WebSocketServer({
    noServer: true,
    maxPayload: 2 * 1024 * 1024,
    perMessageDeflate: true,
  });
  t.onTestFinished(async () => {
    for (const socket of upgrades.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const platform: Platform = {
    url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`,
    ...{ frames: [], connections: 0, headers: {}, welcomes: true, acknowledges: true, epoch: 0n },
    computerId: "cmp_1",
    refusal: undefined,
    connected: () => until("the computer is connected", () => platform.connections > 0),
    socket() {
      const socket = sockets.at(-1);
      if (socket === undefined) throw new Error("nothing is connected");
      return socket;
    },
    send: (frame) =>
      platform.sendBytes(toBinary(PlatformFrameSchema, create(PlatformFrameSchema, { frame }))),
    sendBytes: (bytes) => platform.socket().send(bytes),
    call(callId, name, args, epoch = 1n) {
      const key = { agentId: agent.agentId, callId };
      const value = { key, name, argsJson: JSON.stringify(args), epoch, agentName: agent.agentName };
      platform.send({ case: "call", value });
    },
    async outcome(callId, count = 1) {
      const found = () => outcomesOf(platform.frames, callId)[count - 1];
      await until(`call ${callId} has outcome ${count}`, () => found() !== undefined);
      return found();
    },
    run(callId, command) {
      platform.call(callId, "shell__run_command", { command });
      return platform.outcome(callId);
    },
    cut: () => platform.socket().terminate(),
    close(code, message) {
      platform.send({ case: "goodbye", value: { code, message } });
      platform.socket().close(1000);
    },
  };
  server.on("upgrade", (request, socket, head) => {
    if (platform.refusal !== undefined) {
      const { status, body, headers = {} } = platform.refusal;
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const length = `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n`;
      socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}${length}\r\n${body}`);
      return;
    }
    platform.headers = request.headers;
    upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.push(webSocket);
      webSocket.on("error", () => {});
      webSocket.on("message", (data) => {
        if (!Buffer.isBuffer(data)) return;
        const { frame } = fromBinary(ComputerFrameSchema, data);
        receive(platform, frame);
      });
    });
  });
  return platform;
}

function receive(platform: Platform, frame: Frame): void {
  if (frame.case === "ping") {
    if (platform.welcomes) platform.send({ case: "pong", value: { id: frame.value.id } });
    return;
  }
  platform.frames.push(frame);
  if (frame.case === "hello" && platform.welcomes) {
    platform.epoch++;
    const { epoch, computerId } = platform;
    const value = { epoch, computerId, computerName: "My machine" };
    platform.send({ case: "welcome", value });
    platform.connections++;
  }
  if (frame.case === "outcome" && platform.acknowledges && frame.value.key !== undefined)
    platform.send({ case: "ack", value: { key: frame.value.key } });
}

/** The outcomes of a call as plain values. */
function outcomesOf(frames: readonly Frame[], callId: string): unknown[] {
  return frames.flatMap((frame): unknown[] => {
    if (frame.case !== "outcome" || frame.value.key?.callId !== callId) return [];
    const { outcome } = frame.value;
    if (outcome.case === "resultJson") return [{ result: JSON.parse(outcome.value) }];
    return outcome.case === undefined ? [] : [{ [outcome.case]: outcome.value }];
  });
}

/** The output of a call while it ran. */
export function outputOf(frames: readonly Frame[], callId: string): string {
  return frames
    .flatMap((frame) =>
      frame.case === "output" && frame.value.key?.callId === callId ? [frame.value.text] : [],
    )
    .join("");
}
