// Prints the report of each night, and the link to its video: node examples/nightly-report/receive.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { Muster } from "@muster/client";

const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_AGENT_KEY: apiKey } = process.env;
const { WEBHOOK_SECRET, PORT = "3000" } = process.env;
if (!apiKey) fail("Set MUSTER_AGENT_KEY to a key of the night reporter.");
if (!WEBHOOK_SECRET?.startsWith("whsec_")) fail("Set WEBHOOK_SECRET to the secret of the webhook.");
const muster = new Muster({ baseUrl, apiKey });
const secret = Buffer.from(WEBHOOK_SECRET.slice("whsec_".length), "base64");
const toleranceSeconds = 5 * 60;

/** Whether the body comes from Muster, as https://www.standardwebhooks.com describes. */
function isSigned(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

async function report({ type, data: { agentId, threadId } }) {
  const { status, failureReason, messages, recording } = await muster.workforce.open(agentId, threadId).get();
  if (type === "recording.ready") console.log(`Video of ${threadId}: ${recording.url}`);
  else if (type === "thread.failed") console.log(`No report: ${failureReason}`);
  else {
    const texts = messages.at(-1).parts.filter((part) => part.type === "text");
    console.log(`Report of ${threadId} (${status}):\n${texts.map((part) => part.text).join("\n")}`);
  }
}

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray()).toString();
    if (!isSigned(request.headers, body)) return response.writeHead(401).end();
    await report(JSON.parse(body));
    return response.writeHead(204).end();
  } catch (error) {
    // Muster sends the event again.
    console.error(error.message);
    return response.writeHead(500).end();
  }
});
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Waiting for reports at http://127.0.0.1:${server.address().port}/`);
});

function fail(reason) {
  console.error(reason);
  process.exit(2);
}
