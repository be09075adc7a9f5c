// Talks to the support-chat agent and executes its two tools here, in the caller's own program.
// MUSTER_API_KEY=svc_sk_… node examples/support-chat/client.mjs "Where is order 1042? Please use get-order."
const message = process.argv[2] ?? "Where is order 1042? Please use get-order.";
const tools = {
  "get-order": ({ orderNumber }) => ({ orderNumber, status: "shipped by Pigeon Post", arrives: "tomorrow" }),
  "create-ticket": ({ subject }) => ({ ticket: `T-${Date.now() % 10_000}`, subject }),
};

async function call(method, path, body) {
  const headers = {
    authorization: `Bearer ${process.env.MUSTER_API_KEY}`,
    "content-type": "application/json",
  };
  const url = (process.env.MUSTER_URL ?? "http://127.0.0.1:8080") + path;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function* events(response) {
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: {")) yield JSON.parse(frame.slice(6));
  }
}

const agent = await (await call("GET", "/api/agents/support-chat?by=slug")).json();
const opening = { agentId: agent.id, input: process.env.MODEL ? { MODEL: process.env.MODEL } : {} };
const { sessionId } = await (await call("POST", "/api/agent-sessions", opening)).json();
let turn = { triggerName: "user-message", input: { USER_MESSAGE: message } };
while (turn) {
  let toolResults;
  for await (const event of events(await call("POST", `/api/agent-sessions/${sessionId}/trigger`, turn))) {
    if (event.type === "text-delta") process.stdout.write(event.delta);
    else if (event.type === "error") throw new Error(event.message);
    else if (event.type === "tool-request")
      toolResults = event.toolCalls.map(({ toolCallId, toolName, args }) => {
        console.log(`\n[${toolName} ${JSON.stringify(args)}]`);
        return { toolCallId, toolName, result: tools[toolName](args) };
      });
  }
  turn = toolResults && { ...turn, toolResults };
}
console.log();
