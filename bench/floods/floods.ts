import type { Api, Reply } from "./api.ts";
import { busyValues, wideResult, wideValues } from "./bodies.ts";

/** One request that asks for much work. Everything that it needs is prepared before the measurement. */
export interface Flood {
  name: string;
  /** The expected status. */
  status: number;
  send(): Promise<Reply>;
}

/** The floods, one after the other: later ones use what earlier ones stored. */
export async function* floods(api: Api): AsyncGenerator<Flood> {
  const agentId = await api.create("/api/agents", definition, "agentId");
  await warmUp(api, agentId);
  yield* triggers(api, agentId);
  yield* refusals(api, agentId);
  yield* wideResults(api, agentId);
  yield* restores(api, agentId);
}

/** The first turn loads the provider's package, and the first large body starts a thread. */
async function warmUp(api: Api, agentId: string): Promise<void> {
  const body = JSON.stringify({ ...message("Hello"), filler: "x".repeat(200_000) });
  await (await trigger(api, agentId, Buffer.from(body)))();
}

async function* triggers(api: Api, agentId: string): AsyncGenerator<Flood> {
  for (const [name, value] of Object.entries({ ...wideValues, ...busyValues })) {
    const body = Buffer.from(JSON.stringify({ triggerName: "store", input: { DATA: value() } }));
    yield { name: `trigger, ${name}`, status: 200, send: await trigger(api, agentId, body) };
  }
  const text = Buffer.from(JSON.stringify(message("x ".repeat(400_000))));
  yield {
    name: "trigger, 800,000 characters for the model",
    status: 200,
    send: await trigger(api, agentId, text),
  };
}

async function* refusals(api: Api, agentId: string): AsyncGenerator<Flood> {
  const keys = Array.from({ length: 1_100_000 }, (_, index) => `"${index}":1`).join(",");
  const body = Buffer.from(`{"triggerName":"store","input":{"DATA":{${keys}}}}`.slice(0, 10 * 1024 * 1024));
  yield { name: "trigger, refused: a million keys", status: 413, send: await trigger(api, agentId, body) };
  const wrong = JSON.stringify({
    triggerName: "store",
    toolResults: Array.from({ length: 99_000 }, () => 0),
  });
  const sendWrong = await trigger(api, agentId, Buffer.from(wrong));
  yield { name: "trigger, refused: 99,000 wrong tool results", status: 400, send: sendWrong };
}

async function* wideResults(api: Api, agentId: string): AsyncGenerator<Flood> {
  const path = await session(api, agentId);
  const asked = await api.post(`${path}/trigger`, JSON.stringify(message("Look it up.")));
  const toolCallId = /"toolCallId":"([^"]+)"/.exec(asked.text)?.[1];
  if (toolCallId === undefined) throw new Error(`The model called no tool: ${asked.text}`);
  const results = Buffer.from(
    JSON.stringify({ triggerName: "user-message", toolResults: [{ toolCallId, result: wideResult() }] }),
  );
  yield { name: "tool result, 9 MiB wide", status: 200, send: () => api.post(`${path}/trigger`, results) };
  yield { name: "  read the session", status: 200, send: () => api.get(path) };
  yield { name: "  read it with format=ui", status: 200, send: () => api.get(`${path}?format=ui`) };
  const next = JSON.stringify(message("Go on."));
  yield { name: "  its next turn", status: 200, send: () => api.post(`${path}/trigger`, next) };
  yield { name: "  the turn after that", status: 200, send: () => api.post(`${path}/trigger`, next) };
  yield { name: "  read it once more", status: 200, send: () => api.get(path) };
}

async function* restores(api: Api, agentId: string): AsyncGenerator<Flood> {
  for (const [count, status] of [
    [7_000, 200],
    [10_001, 413],
  ] as const) {
    const path = await session(api, agentId);
    await api.delete(path);
    const body = Buffer.from(JSON.stringify({ messages: messages(count) }));
    yield { name: `restore, ${count} messages`, status, send: () => api.post(`${path}/restore`, body) };
  }
}

async function trigger(api: Api, agentId: string, body: Buffer): Promise<() => Promise<Reply>> {
  const path = await session(api, agentId);
  return () => api.post(`${path}/trigger`, body);
}

async function session(api: Api, agentId: string): Promise<string> {
  return `/api/agent-sessions/${await api.create("/api/agent-sessions", { agentId }, "sessionId")}`;
}

function message(text: string): object {
  return { triggerName: "user-message", input: { USER_MESSAGE: text } };
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

const protocol = `
triggers:
  user-message:
    input:
      USER_MESSAGE: { type: string }
  store:
    input:
      DATA: { type: unknown }
tools:
  lookup:
    description: Looks something up
    display: stream
agent:
  model: local/m
  system: system
  tools: [lookup]
  agentic: true
handlers:
  user-message:
    Add the message:
      block: add-message
      role: user
      prompt: user-message
      input: [USER_MESSAGE]
    Answer:
      block: next-message
  store:
    Add the message:
      block: add-message
      role: user
      prompt: stored
    Answer:
      block: next-message
`;

const definition = {
  settings: { slug: "floods", name: "Floods", format: "interactive" },
  protocol,
  prompts: [
    { name: "system", content: "You are helpful." },
    { name: "user-message", content: "{{USER_MESSAGE}}" },
    { name: "stored", content: "The data is stored." },
  ],
};
