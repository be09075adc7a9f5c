// Talks to support-chat and executes its two tools here: node examples/support-chat/client.mjs "Where is order 1042?"
const message = process.argv[2] ?? "Where is order 1042? Please use get-order.";
const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_API_KEY, MODEL } = process.env;
if (!MUSTER_API_KEY) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

const tools = {
  "get-order": ({ orderNumber }) => ({ orderNumber, status: "shipped by Pigeon Post", arrives: "tomorrow" }),
  "create-ticket": ({ subject }) => ({ ticket: `T-${Date.now() % 10_000}`, subject }),
};

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${MUSTER_API_KEY}`, "content-type": "application/json" };
  const request = { method, headers, body: body && JSON.stringify(body) };
  const response = await fetch(MUSTER_URL + path, request).catch((error) =>
    fail(`Cannot reach Muster at ${MUSTER_URL}: ${error.cause?.code ?? error.message}`),
  );
  if (response.ok) return response;
  const { error = "The server failed.", code = response.status } = await response.json().catch(() => ({}));
  return fail(`${error} (${code})`);
}

async function* events(response) {
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) if (frame.startsWith("data: {")) yield JSON.parse(frame.slice(6));
  }
}

function execute({ toolCallId, toolName, args }) {
  console.log(`\n[${toolName} ${JSON.stringify(args)}]`);
  return { toolCallId, toolName, result: tools[toolName](args) };
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

const { id: agentId } = await (await call("GET", "/api/agents/support-chat?by=slug")).json();
const input = MODEL ? { MODEL } : {};
const { sessionId } = await (await call("POST", "/api/agent-sessions", { agentId, input })).json();
for (let turn = { triggerName: "user-message", input: { USER_MESSAGE: message } }, next; turn; turn = next) {
  next = undefined;
  for await (const event of events(await call("POST", `/api/agent-sessions/${sessionId}/trigger`, turn))) {
    if (event.type === "text-delta") process.stdout.write(event.delta);
    if (event.type === "error") fail(`\n${event.message}`);
    if (event.type === "tool-request") next = { ...turn, toolResults: event.toolCalls.map(execute) };
  }
}
console.log();
