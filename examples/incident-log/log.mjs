// Adds notes to the log of an incident: node examples/incident-log/log.mjs checkout "14:02 Checkout returns 502"
// Without a note it reads one from each line of the standard input. With --hand-over it asks for the hand-over.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const [incident = "", note] = process.argv.slice(2);
const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_API_KEY, MODEL, USER: AUTHOR = "On call" } = process.env;
if (!MUSTER_API_KEY) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");
if (!/^[\w-]+$/.test(incident)) fail("Name the incident: letters, digits and dashes.");

/** Sessions expire after a while without messages. The contents of this file bring them back. */
const file = `${incident}.incident.json`;

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${MUSTER_API_KEY}`, "content-type": "application/json" };
  const options = { method, headers, body: body && JSON.stringify(body) };
  const response = await fetch(MUSTER_URL + path, options).catch((error) =>
    fail(`Cannot reach Muster at ${MUSTER_URL}: ${error.cause?.code ?? error.message}`),
  );
  if (response.ok) return response;
  const { error = "The server failed.", code = response.status } = await response.json().catch(() => ({}));
  return fail(`${error} (${code})`);
}

const json = async (...request) => (await call(...request)).json();

/** The session of the incident: active, restored, or new. */
async function openSession() {
  const input = { INCIDENT: incident, ...(MODEL ? { MODEL } : {}) };
  if (!existsSync(file)) {
    const body = { agentSlug: "incident-log", input };
    return (await json("POST", "/api/agent-sessions", body)).sessionId;
  }
  const { sessionId, messages } = JSON.parse(readFileSync(file, "utf8"));
  const { status } = await json("GET", `/api/agent-sessions/${sessionId}?format=ui&limit=1`);
  if (status === "expired") {
    await json("POST", `/api/agent-sessions/${sessionId}/restore`, { messages, input });
  }
  return sessionId;
}

async function trigger(sessionId, triggerName, input) {
  const response = await call("POST", `/api/agent-sessions/${sessionId}/trigger`, { triggerName, input });
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (buffer + chunk).split("\n\n");
    buffer = frames.pop();
    for (const frame of frames) {
      if (!frame.startsWith("data: {")) continue;
      const event = JSON.parse(frame.slice(6));
      if (event.type === "text-delta") process.stdout.write(event.delta);
      if (event.type === "error") fail(`\n${event.message}`);
    }
  }
  console.log();
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

const sessionId = await openSession();
if (note === "--hand-over") await trigger(sessionId, "hand-over", {});
else {
  const notes = (note ?? (await text(process.stdin))).split("\n").filter((line) => line.trim() !== "");
  for (const NOTE of notes) await trigger(sessionId, "note", { NOTE, AUTHOR });
}
const { messages } = await json("GET", `/api/agent-sessions/${sessionId}?format=ui`);
writeFileSync(file, JSON.stringify({ sessionId, messages }));
console.error(`Session ${sessionId}, ${messages.length} messages, saved in ${file}.`);
