import type { Api } from "../support/api.ts";
import { busyValues, wideResult, wideValues } from "./bodies.ts";
import { definition, message, session, trigger, warmUp } from "./calls.ts";
import { type Flood, one } from "./flood.ts";
import type { WatchedServer } from "./server.ts";

/** One large request after another: later ones use what earlier ones stored. */
export async function* largeValues({ api }: WatchedServer): AsyncGenerator<Flood> {
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  yield* triggers(api, agentId);
  yield* refusals(api, agentId);
  yield* wideResults(api, agentId);
  yield* restores(api, agentId);
}

async function* triggers(api: Api, agentId: string): AsyncGenerator<Flood> {
  for (const [name, value] of Object.entries({ ...wideValues, ...busyValues })) {
    const body = Buffer.from(JSON.stringify({ triggerName: "store", input: { DATA: value() } }));
    yield one(`trigger, ${name}`, 200, await trigger(api, agentId, body));
  }
  const text = Buffer.from(JSON.stringify(message("x ".repeat(400_000))));
  yield one("trigger, 800,000 characters for the model", 200, await trigger(api, agentId, text));
}

async function* refusals(api: Api, agentId: string): AsyncGenerator<Flood> {
  const keys = Array.from({ length: 1_100_000 }, (_, index) => `"${index}":1`).join(",");
  const body = Buffer.from(`{"triggerName":"store","input":{"DATA":{${keys}}}}`.slice(0, 10 * 1024 * 1024));
  yield one("trigger, refused: a million keys", 413, await trigger(api, agentId, body));
  const wrong = JSON.stringify({
    triggerName: "store",
    toolResults: Array.from({ length: 99_000 }, () => 0),
  });
  const sendWrong = await trigger(api, agentId, Buffer.from(wrong));
  yield one("trigger, refused: 99,000 wrong tool results", 400, sendWrong);
}

async function* wideResults(api: Api, agentId: string): AsyncGenerator<Flood> {
  const path = await session(api, agentId);
  const asked = await api.send("POST", `${path}/trigger`, { body: message("Look it up.") });
  const toolCallId = /"toolCallId":"([^"]+)"/.exec(asked.text)?.[1];
  if (toolCallId === undefined) throw new Error(`The model called no tool: ${asked.text}`);
  const results = Buffer.from(
    JSON.stringify({ triggerName: "user-message", toolResults: [{ toolCallId, result: wideResult() }] }),
  );
  yield one("tool result, 9 MiB wide", 200, () => api.send("POST", `${path}/trigger`, { body: results }));
  yield one("  read the session", 200, () => api.send("GET", path));
  yield one("  read it with format=ui", 200, () => api.send("GET", `${path}?format=ui`));
  const next = JSON.stringify(message("Go on."));
  yield one("  its next turn", 200, () => api.send("POST", `${path}/trigger`, { body: next }));
  yield one("  the turn after that", 200, () => api.send("POST", `${path}/trigger`, { body: next }));
  yield one("  read it once more", 200, () => api.send("GET", path));
}

async function* restores(api: Api, agentId: string): AsyncGenerator<Flood> {
  for (const [count, status] of [
    [7_000, 200],
    [10_001, 413],
  ] as const) {
    const path = await session(api, agentId);
    await api.send("DELETE", path);
    const body = Buffer.from(JSON.stringify({ messages: messages(count) }));
    yield one(`restore, ${count} messages`, status, () => api.send("POST", `${path}/restore`, { body }));
  }
}

function messages(count: number): unknown[] {
  const createdAt = "2026-01-01T00:00:00.000Z";
  return Array.from({ length: count }, (_, index) => ({
    id: `msg_${index}`,
    role: index % 2 === 0 ? "user" : "assistant",
    createdAt,
    parts: [{ type: "text", text: "Hello" }],
  }));
}
