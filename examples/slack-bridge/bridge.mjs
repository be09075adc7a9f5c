// Brings the answers and questions of an agent back to Slack: node examples/slack-bridge/bridge.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Muster } from "@muster/client";

const settings = ["MUSTER_URL", "MUSTER_API_KEY", "MUSTER_WEBHOOK_SECRET", "SLACK_SIGNING_SECRET"];
const missing = [...settings, "SLACK_BOT_TOKEN", "SLACK_CHANNEL"].filter((name) => !process.env[name]);
if (missing.length > 0) {
  console.error(`Set ${missing.join(", ")}.`);
  process.exit(1);
}
const { SLACK_API_URL = "https://slack.com/api", SLACK_CHANNEL, PORT = "4200" } = process.env;
const muster = new Muster({ baseUrl: process.env.MUSTER_URL, apiKey: process.env.MUSTER_API_KEY });
const webhookKey = Buffer.from(process.env.MUSTER_WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");

function isEqual(given, expected) {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const isRecent = (seconds) => Math.abs(Date.now() / 1_000 - Number(seconds)) < 300;

/** Standard Webhooks. */
function isFromMuster({ headers }, body) {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = headers;
  const expected = createHmac("sha256", webhookKey).update(`${id}.${at}.${body}`).digest("base64");
  return isRecent(at) && signatures.split(" ").some((given) => isEqual(given, `v1,${expected}`));
}

function isFromSlack({ headers }, body) {
  const at = headers["x-slack-request-timestamp"];
  const mac = createHmac("sha256", process.env.SLACK_SIGNING_SECRET).update(`v0:${at}:${body}`).digest("hex");
  return isRecent(at) && isEqual(headers["x-slack-signature"], `v0=${mac}`);
}

async function post(message) {
  const response = await fetch(`${SLACK_API_URL}/chat.postMessage`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${process.env.SLACK_BOT_TOKEN}`,
      "content-type": "application/json; charset=utf-8",
    },
    body: JSON.stringify({ channel: SLACK_CHANNEL, ...message }),
  });
  const { ok, error } = await response.json();
  if (!ok) throw new Error(`Slack refuses the message: ${error}`);
}

/** Slack reads `<`, `>` and `&` as marks, such as mentions of a whole channel. */
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Slack accepts 3,000 characters. */
const maxShown = 2_800;

const button = (id, label, style, value) => ({
  ...{ type: "button", action_id: id, style, value },
  text: { type: "plain_text", text: label },
});

/** An event that arrives twice is posted twice: a busy channel would store `webhook-id`. */
async function onEvent({ type, data }) {
  if (type === "approval.requested") {
    const { title, toolName, args } = await muster.approvals.get(data.approvalId);
    const call = plain(title ?? `${toolName} ${JSON.stringify(args)}`);
    const shown =
      call.length > maxShown ? `${call.slice(0, maxShown)} … (cut: read all of it before you approve)` : call;
    const text = `May the agent do this? ${shown}`;
    const elements = [
      button("approve", "Approve", "primary", data.approvalId),
      button("deny", "Deny", "danger", data.approvalId),
    ];
    const section = { type: "section", text: { type: "mrkdwn", text } };
    await post({ text, blocks: [section, { type: "actions", elements }] });
  }
  if (type === "thread.completed" || type === "thread.failed") {
    const { messages, failureReason } = await muster.workforce.open(data.agentId, data.threadId).get();
    const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
    const answer = parts.filter((part) => part.type === "text").map(({ text }) => text);
    await post({ text: plain(failureReason ?? answer.join("\n")).slice(0, 30_000) || "Done." });
  }
}

/** A click on a button. The second one changes nothing. */
async function onAction({ actions = [], user }) {
  for (const { action_id: decision, value } of actions) {
    if (decision !== "approve" && decision !== "deny") continue;
    const decided = await muster.approvals.decide(value, { decision });
    await post({ text: plain(`${user.name} has ${decided.status} the call.`) });
  }
}

async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > 1024 * 1024) throw new Error("A request has more than 1 MiB.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

createServer(async (request, response) => {
  try {
    const body = await bodyOf(request);
    if (request.url === "/muster" && isFromMuster(request, body)) {
      await onEvent(JSON.parse(body));
      response.writeHead(204).end();
    } else if (request.url === "/slack/interactivity" && isFromSlack(request, body)) {
      // Slack waits for 3 seconds at most.
      response.writeHead(200).end();
      await onAction(JSON.parse(new URLSearchParams(body).get("payload")));
    } else response.writeHead(401).end();
  } catch (error) {
    console.error(error.message);
    if (!response.headersSent) response.writeHead(500).end();
  }
})
  .listen(Number(PORT), "127.0.0.1")
  .on("listening", function () {
    console.log(`The bridge listens at http://127.0.0.1:${this.address().port}`);
  });
