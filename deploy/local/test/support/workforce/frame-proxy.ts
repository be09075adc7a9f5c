import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { ComputerFrameSchema, PlatformFrameSchema } from "@muster/proto/computer-frames";
import type { TestScope } from "@muster/testing";

/** Passes on this part of the frame at once. */
type Pass = (part: "half" | "all") => void;

/** A network path for the WebSockets of a computer, which sees each frame before it passes. */
export interface FrameProxy {
  readonly port: number;
  /** Called with the name of the frame. The frame, and those that follow it, wait until it resolves. */
  onFrame: (name: string, pass: Pass) => Promise<void>;
  /** Cuts all connections. */
  cut(): void;
}

export async function startFrameProxy(t: TestScope, target: number): Promise<FrameProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    // Cut deliberately, so errors are expected.
    return socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  };
  const server = createServer((computer) => {
    const platform = keep(connect(target, "127.0.0.1"));
    keep(computer);
    relay(computer, platform, nameOfComputers);
    relay(platform, computer, nameOfPlatforms);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const proxy: FrameProxy = {
    port: address.port,
    onFrame: async () => undefined,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
  t.onTestFinished(() => {
    server.close();
    proxy.cut();
  });

  function relay(from: Socket, to: Socket, nameOf: (payload: Uint8Array) => string | undefined): void {
    let rest = Buffer.alloc(0);
    let isOpen = false;
    let last = Promise.resolve();
    const write = (bytes: Buffer) => void (to.writable && to.write(bytes));
    const receive = async (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const length = isOpen ? lengthOf(rest) : headLength(rest);
        if (length === undefined) return;
        const bytes = rest.subarray(0, length);
        rest = rest.subarray(length);
        const name = isOpen ? nameOf(payloadOf(bytes)) : undefined;
        let sent = 0;
        const pass: Pass = (part) => {
          const end = part === "all" ? length : length >> 1;
          write(bytes.subarray(sent, end));
          sent = end;
        };
        if (name !== undefined) await proxy.onFrame(name, pass);
        write(bytes.subarray(sent));
        isOpen = true;
      }
    };
    from.on("data", (chunk) => {
      last = last.then(() => receive(chunk));
    });
    from.once("close", () => void last.then(() => to.destroySoon()));
  }
  return proxy;
}

/** The head of the request or the response before the frames. */
function headLength(bytes: Buffer): number | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  return end < 0 ? undefined : end + 4;
}

/** The length of the first frame. Undefined: more bytes are needed. */
function lengthOf(bytes: Buffer): number | undefined {
  const { head, length } = sizesOf(bytes);
  return bytes.length >= head && bytes.length >= head + length ? head + length : undefined;
}

function sizesOf(bytes: Buffer): { head: number; length: number } {
  const second = bytes[1] ?? 0;
  const mask = second & 0x80 ? 4 : 0;
  const short = second & 0x7f;
  if (short < 126) return { head: 2 + mask, length: short };
  if (short === 126) return { head: 4 + mask, length: bytes.length < 4 ? 0 : bytes.readUInt16BE(2) };
  return { head: 10 + mask, length: bytes.length < 10 ? 0 : Number(bytes.readBigUInt64BE(2)) };
}

/** Empty for a control frame. */
function payloadOf(frame: Buffer): Uint8Array {
  if (((frame[0] ?? 0) & 0x0f) !== 2) return new Uint8Array();
  const { head } = sizesOf(frame);
  const payload = Uint8Array.from(frame.subarray(head));
  if (((frame[1] ?? 0) & 0x80) === 0) return payload;
  const mask = frame.subarray(head - 4, head);
  return payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
}

function nameOfComputers(payload: Uint8Array): string | undefined {
  const { case: name } = fromBinary(ComputerFrameSchema, payload).frame;
  return name === "ping" ? undefined : name;
}

function nameOfPlatforms(payload: Uint8Array): string | undefined {
  const { case: name } = fromBinary(PlatformFrameSchema, payload).frame;
  return name === "pong" ? undefined : name;
}
