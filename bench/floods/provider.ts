import { createServer } from "node:http";
import { Readable } from "node:stream";
import { frame, listen, reply } from "../support/provider.ts";

/**
 * A model provider that calls the tool `lookup` or writes 8 MiB if the request asks for it, and otherwise says "ok".
 */
export async function startProvider(): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
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
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}/v1`,
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

const answer = reply([{ role: "assistant", content: "ok" }]);
const lookup = { index: 0, id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } };
const toolCall = reply([{ role: "assistant", tool_calls: [lookup] }], "tool_calls");
