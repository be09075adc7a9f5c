import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defaultFileRules } from "@muster/storage/files";
import { type TestScope, until } from "@muster/testing";
import { test } from "vitest";
import { startWithFiles } from "./support/files.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const transfers = 8;
const size = defaultFileRules.maxBytes;
const piece = Buffer.alloc(64 * 1024, "x");
/** The memory that a test's whole process may take for all transfers: a tenth of their files. */
const allowedBytes = (transfers * size) / 10;

/** The size of buffers and objects, without garbage. Some buffers are freed only a while after their collection. */
function heldBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** The connections stand still, so excess memory stays allocated. */
async function assertLittleIsHeld(before: number): Promise<void> {
  await until(`less than ${allowedBytes} bytes are held`, () => heldBytes() - before < allowedBytes);
}

async function openSocket(t: TestScope, url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  t.onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Sends so many bytes without keeping them. */
async function sendPieces(socket: Socket, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= piece.length) {
    if (!socket.write(piece.subarray(0, left))) await once(socket, "drain");
  }
}

async function sizesIn(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch(() => []);
  return await Promise.all(names.map(async (name) => (await stat(join(directory, name))).size));
}

test("uploads of ten million bytes lie on the disk while they arrive, not in memory", async (t) => {
  const { directory, edge, issue } = await startWithFiles(t);
  const before = heldBytes();
  const sockets: Socket[] = [];
  for (let count = 0; count < transfers; count++) {
    const { upload } = await issue({ size });
    const socket = await openSocket(t, edge.url);
    sockets.push(socket);
    socket.write(
      `PUT ${upload} HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: ${size}\r\n\r\n`,
    );
    await sendPieces(socket, size - 1);
  }
  const arriving = join(directory, ".arriving");
  await until(async () => {
    const sizes = await sizesIn(arriving);
    return sizes.length === transfers && sizes.every((arrived) => arrived === size - 1);
  });
  await assertLittleIsHeld(before);
  for (const socket of sockets) {
    socket.end("x");
    assert.match(await text(socket), /^(HTTP\/1\.1 102 Processing\r\n\r\n)*HTTP\/1\.1 204 /);
  }
});

test("readers who stop keep little of a download in memory, and read all of it later", async (t) => {
  const { edge, issue, put } = await startWithFiles(t);
  const { upload, download } = await issue({ size });
  const content = new Uint8Array(size).fill(120);
  assert.equal((await put(upload, content)).status, 204);
  const servers = serverSockets(t, "GET");
  const before = heldBytes();
  const readers: Array<{ socket: Socket; receivedBytes: number }> = [];
  for (let count = 0; count < transfers; count++) {
    const socket = await openSocket(t, edge.url);
    const reader = { socket, receivedBytes: 0 };
    socket.on("data", ({ length }) => {
      reader.receivedBytes += length;
    });
    socket.pause();
    socket.write(`GET ${download} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    readers.push(reader);
  }
  await until(
    () => servers.length === transfers && servers.every(({ writableNeedDrain }) => writableNeedDrain),
  );
  await assertLittleIsHeld(before);
  const ends = readers.map(({ socket }) => once(socket, "end"));
  for (const { socket } of readers) socket.resume();
  await Promise.all(ends);
  for (const { receivedBytes } of readers) assert.ok(receivedBytes > size);
  // Referenced until here, so that freeing it hides nothing of the downloads.
  assert.equal(content.length, size);
});

for (const [where, awaitsBody] of [
  ["kept in memory", true],
  ["refused", false],
] as const) {
  test(`a body in chunks of one byte that is ${where} takes little memory`, async (t) => {
    const { edge, key } = await startWithFiles(t);
    const [path, bytes] = [awaitsBody ? "/api/agent-sessions" : "/unknown", 2_000_000];
    const servers = serverSockets(t, "POST");
    const before = heldBytes();
    const socket = await openSocket(t, edge.url);
    socket
      .resume()
      .write(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${awaitsBody ? edge.adminKey : key}\r\n` +
          "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
      );
    const chunks = Buffer.alloc(6 * bytes, "1\r\nx\r\n");
    socket.write(chunks);
    await until("all chunks have arrived", () => (servers[0]?.bytesRead ?? 0) > chunks.length);
    await assertLittleIsHeld(before + chunks.length);
  });
}

/** The server's ends of the connections on which requests with the method arrive. */
function serverSockets(t: TestScope, method: string): Socket[] {
  const sockets: Socket[] = [];
  const started = channel("http.server.request.start");
  const keep = (message: unknown): void => {
    const { request, socket } = message as { request: { method: string }; socket: Socket };
    if (request.method === method) sockets.push(socket);
  };
  started.subscribe(keep);
  t.onTestFinished(() => void started.unsubscribe(keep));
  return sockets;
}
