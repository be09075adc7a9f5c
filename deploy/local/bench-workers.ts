/**
 * How long two workers take that a model calls in one step, compared with the slower one alone. Both kinds of turns run in
 * turns, so that other work on the machine affects both. Usage: npm run bench:workers
 */

import { startTestServer } from "./src/testing/server.ts";

const rounds = 15;
const wordDelayMs = 4;
const limit = 1.15;

const worker = `
input: { IDEA: { type: string } }
variables: { FOUND: { type: string } }
steps:
  Open: { block: start-thread, thread: main, model: demo/echo }
  Ask: { block: add-message, role: user, prompt: task, input: [IDEA] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;

const agent = `
triggers:
  say: { input: { TEXT: { type: string } } }
workers:
  ask-owl: { description: Asks an owl, display: stream }
  ask-bat: { description: Asks a bat, display: stream }
agent: { model: demo/echo, workers: [ask-owl, ask-bat], agentic: true }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: task, input: [IDEA: TEXT] }
    Answer: { block: next-message }
`;

const closers: Array<() => unknown> = [];
try {
  await main();
} finally {
  for (const close of closers.reverse()) await close();
}

async function main(): Promise<void> {
  const scope = { onTestFinished: (close: () => unknown) => void closers.push(close) };
  const { client, url, key } = await startTestServer(scope, { DEMO_WORD_DELAY_MS: String(wordDelayMs) });
  const push = (
    slug: string,
    format: "worker" | "interactive",
    protocol: string,
    task: string,
  ): Promise<string> => {
    const prompts = [{ name: "task", content: task }];
    const definition = { settings: { slug, name: slug, format }, protocol, prompts, references: [] };
    return client.field("agentId", 201, "POST", "/api/agents", definition);
  };
  const work = `{{IDEA}} ${"why ".repeat(100)}`;
  await push("ask-owl", "worker", worker, work);
  await push("ask-bat", "worker", worker, work);
  const agentId = await push("asker", "interactive", agent, "{{IDEA}}");
  const samples = { one: [] as number[], two: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, text] of [
      ["one", "ask-owl"],
      ["two", "ask-owl and ask-bat"],
    ] as const) {
      const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
      const words = `Use ${text}.`;
      const spanMs = await workersMs({ url, key, sessionId, words });
      // The first round is a warm-up.
      if (round > 0) samples[name].push(spanMs);
    }
  }
  const [oneMs, twoMs] = [median(samples.one), median(samples.two)];
  const ratio = twoMs / oneMs;
  console.log(`one worker ${oneMs.toFixed(0)} ms, two at the same time ${twoMs.toFixed(0)} ms`);
  console.log(`ratio ${ratio.toFixed(2)} (at most ${limit}), medians of ${rounds} turns each`);
  if (ratio > limit) process.exitCode = 1;
}

interface Turn {
  url: string;
  key: string;
  sessionId: string;
  words: string;
}

/** From the first worker's start to the last one's result, as a client sees them. */
async function workersMs({ url, key, sessionId, words }: Turn): Promise<number> {
  const response = await fetch(`${url}/api/agent-sessions/${sessionId}/trigger`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ triggerName: "say", input: { TEXT: words } }),
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  let [startMs, endMs] = [0, 0];
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    const text = decoder.decode(chunk, { stream: true });
    if (startMs === 0 && text.includes('"type":"worker-start"')) startMs = performance.now();
    if (text.includes('"type":"worker-result"')) endMs = performance.now();
  }
  if (endMs === 0) throw new Error("No worker ran");
  return endMs - startMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
