// Talks to support-chat and executes its two tools here: node examples/support-chat/client.mjs "Where is order 1042?"
import { Muster } from "@muster/client";

const message = process.argv[2] ?? "Where is order 1042? Please use get-order.";
const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_API_KEY: apiKey, MODEL } = process.env;
if (!apiKey) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");

const tools = {
  "get-order": ({ orderNumber }) => ({ orderNumber, status: "shipped by Pigeon Post", arrives: "tomorrow" }),
  "create-ticket": ({ subject }) => ({ ticket: `T-${Date.now() % 10_000}`, subject }),
};

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

const trigger = { triggerName: "user-message", input: { USER_MESSAGE: message } };
const session = { agentSlug: "support-chat", input: MODEL ? { MODEL } : {}, trigger };
const turn = new Muster({ baseUrl, apiKey }).sessions.start(session, { tools });
try {
  for await (const event of turn) {
    if (event.type === "text-delta") process.stdout.write(event.delta);
    if (event.type === "tool-request")
      for (const { toolName, args } of event.toolCalls)
        console.log(`\n[${toolName} ${JSON.stringify(args)}]`);
  }
  await turn.result();
  console.log();
} catch ({ message: reason, code }) {
  fail(`\n${reason} (${code})`);
}
