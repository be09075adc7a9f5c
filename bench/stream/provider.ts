import { createServer, type Socket } from "node:net";
import { event, frame, listen } from "../support/provider.ts";
import { chunksPerStream, intervalsMs } from "./pace.ts";

// A process of its own, on bare sockets, so that it adds as little as possible to the measurement.
// Usage: node bench/stream/provider.ts; prints its port.

const head =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n";
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const deltas = Array.from({ length: chunksPerStream }, (_, index) => frame({ content: ` word${index}` }));
const usage = { prompt_tokens: 10, completion_tokens: 64, total_tokens: 74 };
const ending = `${frame({}, "stop")}${event({ choices: [], usage })}data: [DONE]\n\n`;
const encodedDeltas = deltas.map((delta) => Buffer.from(chunked(delta)));
const encodedEnding = Buffer.from(`${chunked(ending)}0\r\n\r\n`);
const encodedHead = Buffer.from(head);
// One HTTP chunk and one write: the measurement is about the server behind it, and this suits the yardstick best.
const wholeAnswer = Buffer.concat([
  encodedHead,
  Buffer.from(chunked(deltas.join("") + ending)),
  Buffer.from("0\r\n\r\n"),
]);
const health = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok");

interface Paced {
  socket: Socket;
  intervalMs: number;
  sent: number;
  startedMs: number;
}

const paced = new Set<Paced>();

// One timer for all paced responses. Chunk k is due k intervals after the start, so delays never add up.
setInterval(() => {
  const nowMs = performance.now();
  for (const stream of paced) advance(stream, nowMs);
}, 1);

function advance(stream: Paced, nowMs: number): void {
  if (stream.socket.destroyed) {
    paced.delete(stream);
    return;
  }
  const due = Math.min(Math.floor((nowMs - stream.startedMs) / stream.intervalMs), encodedDeltas.length);
  if (due <= stream.sent) return;
  stream.socket.write(
    due === stream.sent + 1
      ? (encodedDeltas[stream.sent] ?? "")
      : Buffer.concat(encodedDeltas.slice(stream.sent, due)),
  );
  stream.sent = due;
  if (due < encodedDeltas.length) return;
  stream.socket.write(encodedEnding);
  paced.delete(stream);
}

function answer(socket: Socket, request: Buffer): void {
  if (request.subarray(0, 4).equals(get)) {
    socket.write(health);
    return;
  }
  const model = /"model":"([a-z-]+)"/.exec(request.toString("latin1"))?.[1] ?? "";
  const intervalMs = Object.entries(intervalsMs).find(([name]) => name === model)?.[1] ?? 0;
  if (intervalMs === 0) {
    socket.write(wholeAnswer);
    return;
  }
  socket.write(encodedHead);
  paced.add({ socket, intervalMs, sent: 0, startedMs: performance.now() });
}

const get = Buffer.from("GET ");
const endOfHead = Buffer.from("\r\n\r\n");

/** The length of the first request in the buffer; undefined while it is incomplete. */
function requestLength(buffer: Buffer): number | undefined {
  const headEnd = buffer.indexOf(endOfHead);
  if (headEnd < 0) return undefined;
  const header = buffer.toString("latin1", 0, headEnd);
  const length = headEnd + 4 + Number(/content-length: *(\d+)/i.exec(header)?.[1] ?? 0);
  return buffer.length < length ? undefined : length;
}

const server = createServer((socket) => {
  let pending: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data]);
    const length = requestLength(pending);
    if (length === undefined) return;
    const request = pending.subarray(0, length);
    pending = pending.subarray(length);
    answer(socket, request);
  });
});

console.log(await listen(server));
