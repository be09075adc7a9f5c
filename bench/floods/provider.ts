import { createServer, type Server } from "node:http";

/** A model provider that calls the tool `lookup` if the last message of the request asks for it, and otherwise says "ok". */
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
    response.end(asksForTool ? toolCall : answer);
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

const answer = stream({ content: "ok" }, "stop");
const toolCall = stream(
  {
    tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "lookup", arguments: "{}" } }],
  },
  "tool_calls",
);

function stream(delta: object, finishReason: string): string {
  const chunks = [
    { delta: { role: "assistant", ...delta }, finish_reason: null },
    { delta: {}, finish_reason: finishReason },
  ];
  return `${chunks.map((choice) => `data: ${JSON.stringify(chunk(choice))}\n\n`).join("")}data: [DONE]\n\n`;
}

function chunk(choice: object): object {
  return {
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, ...choice }],
  };
}
