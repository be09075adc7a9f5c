import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Event,
  type Instance,
  messagesOf,
  openSession,
  readAll,
  readSession,
  say,
  startWorld,
  textOf,
  typesOf,
  type World,
} from "./support/harness.ts";

/** In tokens. The threshold is half of it. */
const localContextTokens = 1_000;

const managed = {
  ...chat,
  protocol: chat.protocol.replace(
    "agent:\n",
    "agent:\n  contextManagement: { thresholdPercent: 50, recentPercent: 20 }\n",
  ),
};

/** About 100 tokens. */
const long = "lantern ".repeat(50);
/** Its provider counts 10 tokens, which says nothing about its prompt. */
const answer = (text: string): ScriptedStep => ({ parts: [{ text }] });
const refused: ScriptedStep = {
  status: 400,
  error: {
    message:
      "This model's maximum context length is 300 tokens. However, your messages resulted in 400 tokens.",
    code: "context_length_exceeded",
  },
};

async function begin(t: TestContext, steps: ScriptedStep[], spec = managed) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [spec]);
  const instance = await world.addInstance({ localContextTokens });
  const sessionId = await openSession(world, instance);
  const ask = async (text: string, { client }: Instance = instance) =>
    readAll(client.trigger({ ...say(sessionId, text), usage: true }, world.as()));
  return { world, instance, sessionId, ask };
}

function promptOf(world: World, request: number): string {
  return JSON.stringify(world.provider.requests[request]?.body.messages);
}

async function entriesOf(world: World, { client }: Instance, sessionId: string, wanted = "compaction") {
  const entries: Array<Record<string, unknown>> = [];
  for await (const { entriesJson } of client.readSessionLog({ sessionId }, world.as()))
    for (const json of entriesJson) entries.push(JSON.parse(json));
  return entries.filter(({ type }) => type === wanted);
}

/** Short answers to long messages: the fourth message reaches the threshold. */
const threeTurns = ["One.", "Two.", "Three."].map(answer);
async function talk(ask: (text: string) => Promise<Event[]>): Promise<void> {
  for (let turn = 1; turn <= 3; turn++) await ask(`${turn}. ${long}`);
}

describe("a conversation that outgrows its model's context window", () => {
  test("is summarised once, for all instances, and its usage and costs include the summary", async (t) => {
    const steps = [...threeTurns, answer("She likes lanterns."), answer("Four."), answer("Five.")];
    const { world, instance, sessionId, ask } = await begin(t, steps);
    await talk(ask);
    const events = await ask(`4. ${long}`);
    assert.equal(world.provider.requests.length, 5);
    assert.match(promptOf(world, 3), /You keep the summary.*1\. lantern.*Two\./s);
    assert.doesNotMatch(promptOf(world, 3), /4\. lantern/);
    assert.match(promptOf(world, 4), /She likes lanterns\..*4\. lantern/s);
    assert.doesNotMatch(promptOf(world, 4), /1\. lantern/);
    assert.equal(textOf(events), "Four.");
    assert.doesNotMatch(JSON.stringify(events), /She likes/);
    const used = events.at(-1) as unknown as { tokens: { inputTokens: number } };
    assert.equal(used.tokens.inputTokens, 20);
    const { session } = await readSession(instance.client, { sessionId }, world.as());
    assert.equal(JSON.parse(session?.usageJson ?? "").tokens.inputTokens, 5 * 10);
    const other = await world.addInstance({ localContextTokens });
    assert.equal(textOf(await ask("5.", other)), "Five.");
    assert.equal(world.provider.requests.length, 6);
    assert.match(promptOf(world, 5), /She likes lanterns\..*Four\..*5\./s);
    const shown = await messagesOf(world, other, sessionId);
    assert.deepEqual(shown[0]?.parts, [{ type: "text", text: "She likes lanterns.", status: "done" }]);
    assert.doesNotMatch(JSON.stringify(shown), /1\. lantern/);
  });

  test("leaves a log entry with the numbers and the summary", async (t) => {
    const { world, instance, sessionId, ask } = await begin(t, [
      ...threeTurns,
      answer("Lanterns."),
      answer("Four."),
    ]);
    await talk(ask);
    await ask(`4. ${long}`);
    const [entry, ...more] = await entriesOf(world, instance, sessionId);
    assert.equal(more.length, 0);
    const { cause, method, summarizer, summary, tokensBefore, tokensAfter } = entry ?? {};
    assert.deepEqual(
      [cause, method, summarizer, summary],
      ["threshold", "summary", "local/scripted", "Lanterns."],
    );
    assert.ok(Number(tokensBefore) > 500 && Number(tokensAfter) < 500);
  });

  test("continues without a summary if its model fails, and tries again in the next turn", async (t) => {
    const steps = [...threeTurns, { status: 500 }, answer("Four."), answer("Lanterns."), answer("Five.")];
    const { world, instance, sessionId, ask } = await begin(t, steps);
    await talk(ask);
    assert.equal(textOf(await ask(`4. ${long}`)), "Four.");
    assert.match(promptOf(world, 4), /1 earlier message is left out.*4\. lantern/s);
    assert.equal(textOf(await ask(`5. ${long}`)), "Five.");
    const entries = await entriesOf(world, instance, sessionId);
    assert.deepEqual(
      entries.map(({ method }) => method),
      ["trim", "summary"],
    );
    assert.match(String(entries[0]?.problem), /internal error/);
  });

  test("has one log entry that explains why instructions leave no room for it, and no summary in every turn", async (t) => {
    const system = "lantern ".repeat(300);
    const spec = { ...managed, prompts: { ...managed.prompts, system } };
    const { world, instance, sessionId, ask } = await begin(t, threeTurns, spec);
    for (const turn of [1, 2, 3]) await ask(`${turn}. Hello.`);
    assert.equal(world.provider.requests.length, 3);
    assert.match(promptOf(world, 2), /1\. Hello\..*Two\..*3\. Hello\./s);
    const [entry, ...more] = await entriesOf(world, instance, sessionId, "error");
    assert.equal(more.length, 0);
    assert.deepEqual([entry?.isHandled, entry?.errorType], [true, "validation_error"]);
    assert.match(
      String(entry?.message),
      /instructions and tools of the thread main .* of local\/scripted is 500/,
    );
  });

  test("can be cancelled while the summary is written, and asked again", async (t) => {
    const steps = [...threeTurns, { silent: true } as const, answer("Lanterns."), answer("Five.")];
    const { world, instance, sessionId, ask } = await begin(t, steps);
    await talk(ask);
    const running = ask(`4. ${long}`);
    await until(() => world.provider.requests.length === 4);
    await instance.client.cancelExecution({ sessionId }, world.as());
    const events = await running;
    assert.ok(typesOf(events).includes("finish"));
    assert.equal(textOf(await ask(`5. ${long}`)), "Five.");
    assert.match(promptOf(world, 5), /Lanterns\./);
  });

  test("shows its summary with demo/echo, without a key", async (t) => {
    const protocol = managed.protocol.replace(
      "thresholdPercent: 50, recentPercent: 20",
      "thresholdPercent: 5, recentPercent: 1",
    );
    const { world, instance } = await begin(t, [], { ...managed, protocol });
    const sessionId = await openSession(world, instance, { MODEL: "demo/echo" });
    for (let turn = 1; turn <= 4; turn++)
      await readAll(instance.client.trigger(say(sessionId, `${turn}. ${long}`), world.as()));
    const entry = (await entriesOf(world, instance, sessionId)).find(({ method }) => method === "summary");
    assert.match(String(entry?.summary), /A summary of \d+ messages\. The user said: “1\. lantern/);
  });
});

describe("a provider that refuses the length of the conversation", () => {
  test("is called again with less, and the turn finishes", async (t) => {
    const { world, instance, sessionId, ask } = await begin(t, [
      ...threeTurns.slice(0, 2),
      refused,
      answer("Lanterns."),
      answer("Three."),
    ]);
    for (let turn = 1; turn <= 2; turn++) await ask(`${turn}. ${long}`);
    assert.equal(textOf(await ask(`3. ${long}`)), "Three.");
    assert.equal(world.provider.requests.length, 5);
    assert.ok(promptOf(world, 4).length < promptOf(world, 2).length);
    const entries = await entriesOf(world, instance, sessionId);
    assert.equal(entries[0]?.cause, "refusal");
  });

  test("ends the turn with its error if it refuses again", async (t) => {
    const { world, ask } = await begin(t, [answer("One."), refused, refused, refused]);
    await ask(`1. ${long}`);
    const events = await ask(`2. ${long}`);
    const error = events.find(({ type }) => type === "error");
    assert.equal(error?.errorType, "validation_error");
    assert.match(String(error?.message), /longer than this model of local accepts/);
    assert.equal(world.provider.requests.length, 4);
  });
});
