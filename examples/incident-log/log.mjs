// Adds notes to the log of an incident: node examples/incident-log/log.mjs checkout "14:02 Checkout returns 502"
// Without a note it reads one from each line of the standard input. With --hand-over it asks for the hand-over.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { Muster } from "@muster/client";

const [incident = "", note] = process.argv.slice(2);
const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_API_KEY: apiKey } = process.env;
const { MODEL, USER: AUTHOR = "On call" } = process.env;
if (!apiKey) fail("Set MUSTER_API_KEY to the key that the first start of Muster printed.");
if (!/^[\w-]+$/.test(incident)) fail("Name the incident: letters, digits and dashes.");

/** Sessions expire after a while without messages. The contents of this file bring them back. */
const file = `${incident}.incident.json`;

/** The session of the incident: active, restored, or new. */
async function openSession() {
  const { sessions } = new Muster({ baseUrl, apiKey });
  const input = { INCIDENT: incident, ...(MODEL ? { MODEL } : {}) };
  if (!existsSync(file)) return sessions.create({ agentSlug: "incident-log", input });
  const { sessionId, messages } = JSON.parse(readFileSync(file, "utf8"));
  const session = sessions.open(sessionId);
  const { status } = await session.get({ format: "ui", limit: 1 });
  if (status === "expired") await session.restore({ messages, input });
  return session;
}

async function say(turn) {
  for await (const event of turn) if (event.type === "text-delta") process.stdout.write(event.delta);
  await turn.result();
  console.log();
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}

try {
  const session = await openSession();
  if (note === "--hand-over") await say(session.trigger("hand-over"));
  else {
    const notes = (note ?? (await text(process.stdin))).split("\n").filter((line) => line.trim() !== "");
    for (const NOTE of notes) await say(session.trigger("note", { NOTE, AUTHOR }));
  }
  const { messages } = await session.get({ format: "ui" });
  writeFileSync(file, JSON.stringify({ sessionId: session.id, messages }));
  console.error(`Session ${session.id}, ${messages.length} messages, saved in ${file}.`);
} catch ({ message, code }) {
  fail(`\n${message} (${code})`);
}
