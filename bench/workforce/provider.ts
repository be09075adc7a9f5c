import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/**
 * A model provider in a process of its own. It notes when a request came, by the `mark-…` in its newest message, and says "ok"
 * (200 times if that message contains LONG): at once, or once it is released if that message contains HOLD. Prints its port.
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
  const text = newestMessage(await bodyOf(request));
  for (const mark of text.match(/mark-\w+/g) ?? []) if (!arrivals.has(mark)) arrivals.set(mark, atMs);
  if (!text.includes("HOLD")) return answer(response, text.includes("LONG") ? 200 : 1);
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

function answer(response: ServerResponse, words = 1): void {
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
  const word = chunk({ delta: { role: "assistant", content: "ok " }, finish_reason: null });
  const end = chunk({ delta: {}, finish_reason: "stop" });
  response
    .writeHead(200, { "content-type": "text/event-stream" })
    .end(`${word.repeat(words)}${end}data: [DONE]\n\n`);
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(address?.port);
});
