import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { parentPort } from "node:worker_threads";
import { listen, reply } from "../support/provider.ts";

/** A provider on a thread of its own. It answers every call with 64 chunks; `GET` returns the latest call's body. */
const answer = reply(Array.from({ length: 64 }, () => ({ role: "assistant", content: "some " })));
let latest = "";
const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end(latest);
  latest = await text(request);
  return response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
});
const port = await listen(server);
parentPort?.postMessage(`http://127.0.0.1:${port}`);
