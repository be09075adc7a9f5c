// Talks to the support-chat agent and executes its two tools here, in the caller's own program.
// Usage: MUSTER_API_KEY=svc_sk_… node examples/support-chat/client.mjs "Where is order 1042? Please use get-order."
const base = process.env.MUSTER_URL ?? "http://127.0.0.1:8080";
const headers = { authorization: `Bearer ${process.env.MUSTER_API_KEY}`, "content-type": "application/json" };
const input = process.env.MODEL ? { MODEL: process.env.MODEL } : {};

const tools = {
  "get-order": ({ orderNumber }) => ({
    orderNumber,
    status: "shipped",
    carrier: "Pigeon Post",
    arrives: "tomorrow",
  }),
  "create-ticket": ({ subject }) => ({ ticket: `T-${subject.length}${Date.now() % 1000}` }),
};

async function call(method, path, body) {
  const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
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
const { sessionId } = await (await call("POST", "/api/agent-sessions", { agentId: agent.id, input })).json();
let turn = {
  triggerName: "user-message",
  input: { USER_MESSAGE: process.argv[2] ?? "Where is order 1042? Please use get-order." },
};
while (turn) {
  let next;
  for await (const event of events(await call("POST", `/api/agent-sessions/${sessionId}/trigger`, turn))) {
    if (event.type === "text-delta") process.stdout.write(event.delta);
    if (event.type === "error") throw new Error(event.message);
    if (event.type !== "tool-request") continue;
    const run = ({ toolCallId, toolName, args }) => ({ toolCallId, toolName, result: tools[toolName](args) });
    next = { ...turn, toolResults: event.toolCalls.map(run) };
    for (const { toolName, args } of event.toolCalls) console.log(`[${toolName} ${JSON.stringify(args)}]`);
  }
  turn = next;
}
console.log();
