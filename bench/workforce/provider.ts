import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/**
 * A model provider in a process of its own. It notes when a request came, by the `mark-…` in its newest message, and says "ok":
 * at once, or once it is released if that message contains HOLD. A conversation with TASK gets two commands, each after 60 words, and then an answer. Prints its port.
 */
const arrivals = new Map<string, number>();
const held = new Set<{ text: string; response: ServerResponse }>();

const server = createServer(async (request, response) => {
  const atMs = nowMs();
  const url = new URL(request.url ?? "/", "http://provider");
  if (url.pathname === "/state")
    return sendJson(response, { held: held.size, arrivals: Object.fromEntries(arrivals) });
  if (url.pathname === "/release")
    return sendJson(response, { released: release(url.searchParams.get("text") ?? "") });
  const body = await bodyOf(request);
  const text = newestMessage(body);
  for (const mark of text.match(/mark-\w+/g) ?? []) if (!arrivals.has(mark)) arrivals.set(mark, atMs);
  if (body.includes("TASK")) return work(response, body);
  if (!text.includes("HOLD")) return answer(response);
  const entry = { text, response };
  held.add(entry);
  response.once("close", () => held.delete(entry));
});

/** The monotonic clock of the machine, which all processes share. */
function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function newestMessage(body: string): string {
  const parsed: unknown = JSON.parse(body);
  const messages: unknown = typeof parsed === "object" && parsed !== null && Reflect.get(parsed, "messages");
  return Array.isArray(messages) ? JSON.stringify(messages.at(-1)) : "";
}

/** Answers the held requests whose newest message contains the text. */
function release(text: string): number {
  const released = [...held].filter((entry) => entry.text.includes(text));
  for (const entry of released) answer(entry.response);
  return released.length;
}

/** `delta`s are those of OpenAI's chat completions. */
function stream(response: ServerResponse, deltas: object[], finish: "stop" | "tool_calls"): void {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
  const chunks = deltas.map((delta) => chunk({ delta, finish_reason: null }));
  const end = chunk({ delta: {}, finish_reason: finish });
  response
    .writeHead(200, { "content-type": "text/event-stream" })
    .end(`${chunks.join("")}${end}data: [DONE]\n\n`);
}

function answer(response: ServerResponse): void {
  stream(response, [{ role: "assistant", content: "ok" }], "stop");
}

const commands = 2;
const words = Array.from({ length: 60 }, () => ({ role: "assistant", content: "ok " }));

function work(response: ServerResponse, body: string): void {
  const done = body.split('"role":"tool"').length - 1;
  if (done >= commands) {
    stream(response, words, "stop");
    return;
  }
  const call = {
    index: 0,
    id: `call_${done}`,
    type: "function",
    function: { name: "shell__run_command", arguments: JSON.stringify({ command: "seq 1 200" }) },
  };
  stream(response, [...words, { tool_calls: [call] }], "tool_calls");
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(address?.port);
});
