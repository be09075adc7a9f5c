import { createServer, type Server } from "node:http";
import { Readable } from "node:stream";

/**
 * A model provider that calls the tool `lookup` or writes 8 MiB if the request asks for it, and otherwise says "ok".
 */
export async function startProvider(): Promise<{ url: string; stop(): Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    let tail = Buffer.alloc(0);
    let head = Buffer.alloc(0);
    for await (const chunk of request) {
      if (head.length === 0) head = chunk;
      tail = Buffer.concat([tail, chunk]).subarray(-32_768);
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const asksForTool =
      head.includes("Look it up.") && !tail.includes('"role":"tool"') && !head.includes('"role":"tool"');
    if (head.includes("Write a book.")) Readable.from(book()).pipe(response);
    else response.end(asksForTool ? toolCall : answer);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The provider does not listen");
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The text of one large response. */
const bookLength = 8 * 1024 * 1024;

function* book(): Generator<string> {
  const page = "Some words. ".repeat(700);
  for (let length = 0; length < bookLength; length += page.length) yield frame({ content: page });
  yield answer;
}

const answer = stream({ content: "ok" }, "stop");
const toolCall = stream(
  {
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } }],
  },
  "tool_calls",
);

function stream(delta: object, finishReason: string): string {
  return `${frame({ role: "assistant", ...delta })}${frame({}, finishReason)}data: [DONE]\n\n`;
}

function frame(delta: object, finishReason: string | null = null): string {
  const chunk = {
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
