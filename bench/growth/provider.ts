import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

/** A provider on a thread of its own. It answers every call with 64 chunks; `GET` returns the latest call's body. */
const chunkCount = 64;
const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const answer = [
  ...Array.from({ length: chunkCount }, () => chunk({ role: "assistant", content: "some " }, null)),
  chunk({}, "stop"),
  "data: [DONE]\n\n",
].join("");

let latest = "";
const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.end(latest);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  latest = Buffer.concat(parts).toString();
  response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
}).listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" ? `http://127.0.0.1:${address?.port}` : "");
});
