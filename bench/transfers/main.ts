/** What uploads and downloads hold in the memory of a server; see `bench/README.md`. */
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { startProvider } from "../floods/provider.ts";
import { startWatchedServer, type WatchedServer } from "../floods/server.ts";

const transfers = 8;
const fileBytes = 10_000_000;
/** For all transfers together. */
const targetBytes = fileBytes;
const pieceBytes = 64 * 1024;
/** Until the server has taken what was sent, and sent what it can. */
const restMs = 1_000;

const monitor = {
  module: new URL("memory-monitor.ts", import.meta.url).href,
  flags: ["--expose-gc"],
};
const definition = {
  settings: { slug: "files", name: "Files", format: "interactive" },
  protocol:
    "triggers:\n  go: {}\nagent:\n  model: demo/echo\n  system: system\nhandlers:\n  go:\n    Answer: { block: next-message }\n",
  prompts: [{ name: "system", content: "Answer." }],
};

interface FileUrls {
  uploadUrl: string;
  downloadUrl: string;
}

const agent = new Agent();
const provider = await startProvider();
try {
  const server = await startWatchedServer(provider.url, monitor);
  try {
    await measure(server);
  } finally {
    await server.stop();
  }
} finally {
  await agent.close();
  await provider.stop();
}

async function measure(server: WatchedServer): Promise<void> {
  const agentId = await server.api.create("/api/agents", definition, "agentId");
  const sessionId = await server.api.create("/api/agent-sessions", { agentId }, "sessionId");
  // The first transfers load code.
  const first = await announce(server, sessionId, transfers);
  await heldDuring(server, first.map(upload));
  await heldDuring(server, first.map(download));
  const files = await announce(server, sessionId, transfers);
  const others = await announce(server, sessionId, transfers);
  const rows = [
    ["uploads", await heldDuring(server, files.map(upload))],
    ["downloads", await heldDuring(server, files.map(download))],
    ["of each at once", await heldDuring(server, [...files.map(download), ...others.map(upload)])],
  ] as const;
  for (const [name, bytes] of rows) {
    const verdict = bytes <= targetBytes ? "reached" : "MISSED";
    console.log(`${transfers} ${name.padEnd(16)} ${mb(bytes).padStart(5)} MB held   ${verdict}`);
    if (bytes > targetBytes) process.exitCode = 1;
  }
  console.log(
    `Each file has ${mb(fileBytes)} MB; target: at most ${mb(targetBytes)} MB for all of them together.`,
  );
}

/** Stands still where `wait` is called, and then ends. */
type Transfer = (wait: () => Promise<void>) => Promise<void>;

/** What the server holds while all these transfers stand still, beyond what it held before. */
async function heldDuring(server: WatchedServer, list: readonly Transfer[]): Promise<number> {
  const before = await server.measured();
  const [standing, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let arrived = 0;
  const wait = () => {
    arrived += 1;
    if (arrived === list.length) standing.resolve();
    return going.promise;
  };
  const ended = Promise.all(list.map((transfer) => transfer(wait)));
  await Promise.race([standing.promise, ended]);
  await sleep(restMs);
  const held = (await server.measured()) - before;
  going.resolve();
  await ended;
  return held;
}

/** One by one: a request may announce 50 MB at most. */
async function announce({ api }: WatchedServer, sessionId: string, count: number): Promise<FileUrls[]> {
  const files = [{ filename: "a.txt", mediaType: "text/plain", size: fileBytes }];
  const announced: FileUrls[] = [];
  while (announced.length < count) {
    const { status, text } = await api.post("/api/files/upload-urls", JSON.stringify({ sessionId, files }));
    if (status !== 200) throw new Error(`A file was not accepted: ${status} ${text}`);
    announced.push(...JSON.parse(text).files);
  }
  return announced;
}

/** Stands still before the last piece. */
function upload({ uploadUrl }: FileUrls): Transfer {
  return async (wait) => {
    const headers = { "content-type": "text/plain", "content-length": String(fileBytes) };
    const body = Readable.from(pieces(wait), { objectMode: false });
    const response = await request(uploadUrl, { dispatcher: agent, method: "PUT", headers, body });
    const text = await response.body.text();
    if (response.statusCode !== 204) throw new Error(`An upload failed: ${response.statusCode} ${text}`);
  };
}

async function* pieces(wait: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(pieceBytes, "x");
  for (let left = fileBytes; left > 0; left -= pieceBytes) {
    if (left <= pieceBytes) await wait();
    yield piece.subarray(0, left);
  }
}

/** Stands still after the first bytes. */
function download({ downloadUrl }: FileUrls): Transfer {
  return async (wait) => {
    const response = await request(downloadUrl, { dispatcher: agent });
    let receivedBytes = 0;
    for await (const { length } of response.body) {
      if (receivedBytes === 0) await wait();
      receivedBytes += length;
    }
    if (receivedBytes !== fileBytes) throw new Error(`A download ended after ${receivedBytes} bytes`);
  };
}

function mb(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
