import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api, Reply } from "../support/api.ts";

/** Sends a body in chunks of a single byte. */
export async function inTinyChunks(api: Api, path: string, body: string): Promise<Reply> {
  const chunks = Buffer.alloc(body.length * 6, "1\r\n.\r\n");
  for (let at = 0; at < body.length; at++) chunks[at * 6 + 3] = body.charCodeAt(at);
  const head = headOf(api, path, { "transfer-encoding": "chunked" });
  return await exchange(
    api,
    (socket) => void socket.write(Buffer.concat([head, chunks, Buffer.from("0\r\n\r\n")])),
  );
}

/** Sends a request so many times without waiting for a response. Resolves with the last one. */
export async function pipelined(api: Api, count: number): Promise<Reply> {
  const requests = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count);
  return await exchange(api, (socket) => void socket.write(requests), count);
}

/** The bodies arrive but for their last bytes, which then follow for all of them. Resolves with the worst response. */
export async function completedAtOnce(api: Api, path: string, body: string, count: number): Promise<Reply> {
  const head = headOf(api, path, { "content-length": String(Buffer.byteLength(body)) });
  const arrived = Promise.withResolvers<void>();
  const replies = Array.from({ length: count }, () =>
    exchange(api, async (socket) => {
      socket.write(Buffer.concat([head, Buffer.from(body.slice(0, -1))]));
      await arrived.promise;
      socket.write(body.slice(-1));
    }),
  );
  await sleep(2_000);
  arrived.resolve();
  return (await Promise.all(replies)).reduce((worst, reply) => (reply.status > worst.status ? reply : worst));
}

/** Sends a request on a connection of its own, from which nothing is read. */
export async function postUnread(api: Api, path: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, "connect");
  socket.write(
    Buffer.concat([headOf(api, path, { "content-length": String(body.length) }), Buffer.from(body)]),
  );
  return socket;
}

function headOf(api: Api, path: string, framing: Record<string, string>): Buffer {
  const lines = Object.entries({
    host: "x",
    "content-type": "application/json",
    ...api.headers,
    ...framing,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
}

/** Writes to a connection of its own. Resolves with the last of so many responses. */
async function exchange(
  api: Api,
  write: (socket: Socket) => void | Promise<void>,
  responses = 1,
): Promise<Reply> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  let complete = 0;
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("data", (data) => {
      text += data.toString("latin1");
      const [last = "", ...earlier] = text.split("HTTP/1.1 ").reverse();
      complete += Math.max(0, earlier.length - 1);
      text = `HTTP/1.1 ${last}`;
      if (complete + 1 >= responses && text.includes("\r\n\r\n")) resolve();
    });
    socket.on("error", reject).on("close", () => reject(new Error(`closed after ${text}`)));
  });
  try {
    await Promise.all([once(socket, "connect").then(() => write(socket)), answered]);
    return { status: Number(text.slice(9, 12)), text };
  } finally {
    socket.destroy();
  }
}
