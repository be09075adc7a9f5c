import { createServer, type ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { listen, reply } from "../support/provider.ts";
import { machineMs } from "./model.ts";

/**
 * A model provider in a process of its own. It notes when a request arrived, by the `mark-…` in its newest message, and says "ok":
 * at once, or once it is released if that message contains HOLD. A conversation with TASK gets two commands, each after 60 words,
 * and then an answer. Prints its port.
 */
const arrivals = new Map<string, number>();
const held = new Map<ServerResponse, string>();
const commands = 2;
const words = Array.from({ length: 60 }, () => ({ role: "assistant", content: "ok " }));
const answer = reply([{ role: "assistant", content: "ok" }]);

const server = createServer(async (request, response) => {
  const atMs = machineMs();
  const url = new URL(request.url ?? "/", "http://provider");
  if (url.pathname === "/state")
    return response.end(JSON.stringify({ held: held.size, arrivals: Object.fromEntries(arrivals) }));
  if (url.pathname === "/release")
    return response.end(JSON.stringify(release(url.searchParams.get("text") ?? "")));
  const body = await textOf(request);
  const { messages } = JSON.parse(body);
  const newest = JSON.stringify(messages.at(-1));
  for (const mark of newest.match(/mark-\w+/g) ?? []) if (!arrivals.has(mark)) arrivals.set(mark, atMs);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (body.includes("TASK")) return response.end(work(body));
  if (!newest.includes("HOLD")) return response.end(answer);
  held.set(response, newest);
  return response.once("close", () => held.delete(response));
});

/** Answers the held requests whose newest message contains the text. */
function release(text: string): object {
  const released = [...held].filter(([, newest]) => newest.includes(text));
  for (const [response] of released) response.end(answer);
  return { released: released.length };
}

function work(body: string): string {
  const done = body.split('"role":"tool"').length - 1;
  if (done >= commands) return reply(words);
  const run = { name: "shell__run_command", arguments: JSON.stringify({ command: "seq 1 200" }) };
  const call = { index: 0, id: `call_${done}`, type: "function", function: run };
  return reply([...words, { tool_calls: [call] }], "tool_calls");
}

console.log(await listen(server));
