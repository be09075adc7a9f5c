import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Event,
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
    `workers:
  keeper: { description: Keeps the summary }
agent:
  contextManagement: { summarizerWorker: keeper, thresholdPercent: 50, recentPercent: 20 }
`,
  ),
};

const keeping = `
input:
  CONVERSATION: { type: string }
  PREVIOUS_SUMMARY: { type: string, optional: true }
variables:
  SUMMARY: { type: string }
tools:
  look-up: { description: Looks up, parameters: { name: { type: string, optional: true } } }
steps:
  Open: { block: start-thread, thread: main, model: local/scripted, tools: [look-up], agentic: true }
  Ask: { block: add-message, role: user, prompt: task, input: [CONVERSATION, PREVIOUS_SUMMARY] }
  Answer: { block: next-message, output: SUMMARY }
output: SUMMARY
`;
const scriptedInput = JSON.stringify({ MODEL: "local/scripted" });
const prompts = {
  task: "KEEP {{PREVIOUS_SUMMARY}} AND {{CONVERSATION}}",
  noted: "Noted.",
  insist: "Write it now.",
};

const hourMs = 3_600_000;
/** About 100 tokens. */
const long = "lantern ".repeat(50);
const answer = (text: string): ScriptedStep => ({ parts: [{ text }] });
/** Short answers to long messages: the fourth message reaches the threshold. */
const threeTurns = ["One.", "Two.", "Three."].map(answer);

interface Options {
  keeper?: string | undefined;
  threshold?: number;
  settings?: Parameters<World["addInstance"]>[0];
}

async function begin(
  t: TestContext,
  steps: ScriptedStep[],
  { keeper = keeping, threshold = 50, settings = {} }: Options = {},
) {
  const world = await startWorld(t, [...threeTurns, ...steps]);
  const protocol = managed.protocol.replace("thresholdPercent: 50", `thresholdPercent: ${threshold}`);
  world.agents.set("agt_chat", [{ ...managed, protocol }]);
  if (keeper !== "") world.agents.set("keeper", [{ format: "worker", prompts, protocol: keeper }]);
  const instance = await world.addInstance({ localContextTokens, ...settings });
  const sessionId = await openSession(world, instance);
  const ask = async (text: string) =>
    readAll(instance.client.trigger({ ...say(sessionId, text), usage: true }, world.as()));
  const promptOf = (request: number) => JSON.stringify(world.provider.requests.at(request)?.body.messages);
  const log = async (type: string) => {
    const entries: Array<Record<string, unknown>> = [];
    for await (const { entriesJson } of instance.client.readSessionLog({ sessionId }, world.as()))
      for (const json of entriesJson) entries.push(JSON.parse(json));
    return entries.filter((entry) => entry.type === type);
  };
  for (let turn = 1; turn <= 3; turn++) await ask(`${turn}. ${long}`);
  return { world, instance, sessionId, ask, promptOf, log };
}

function assertUnseen(events: readonly Event[]): void {
  assert.ok(!typesOf(events).some((type) => type.startsWith("worker-")));
  assert.ok(!JSON.stringify(events).includes("workerId"));
}

describe("a conversation whose summary a worker writes", () => {
  test("continues with its output; no user sees the worker, and its usage is part of the turn's", async (t) => {
    const { world, instance, sessionId, ask, promptOf, log } = await begin(t, [
      ...[answer("She likes lanterns."), answer("Four.")],
    ]);
    const events = await ask(`4. ${long}`);
    assert.equal(textOf(events), "Four.");
    assertUnseen(events);
    assert.equal(world.provider.requests.length, 5);
    assert.match(promptOf(3), /KEEP +AND ## User.*1\. lantern.*Two\./s);
    assert.doesNotMatch(promptOf(3), /4\. lantern|You keep the summary/);
    assert.match(promptOf(4), /She likes lanterns\..*4\. lantern/s);
    assert.doesNotMatch(promptOf(4), /1\. lantern/);
    const [entry, ...more] = await log("compaction");
    assert.equal(more.length, 0);
    assert.deepEqual([entry?.summarizer, entry?.method], ["keeper", "summary"]);
    const [run] = await log("worker-execution");
    assert.equal(run?.workerSlug, "keeper");
    const requests = await log("model-request");
    assert.equal(requests.filter(({ workerId }) => workerId === run?.workerId).length, 1);
    const used = events.at(-1) as unknown as { tokens: { inputTokens: number } };
    assert.equal(used.tokens.inputTokens, 20);
    const { session } = await readSession(instance.client, { sessionId }, world.as());
    assert.equal(JSON.parse(session?.usageJson ?? "").tokens.inputTokens, 5 * 10);
    const shown = JSON.stringify(await messagesOf(world, instance, sessionId));
    assert.doesNotMatch(shown, /keeper/);
  });

  test("gives the worker the summary so far", async (t) => {
    const steps = ["First.", "Four.", "Five.", "Six.", "Second.", "Seven."].map(answer);
    const { ask, promptOf, log } = await begin(t, steps);
    for (let turn = 4; turn <= 7; turn++) await ask(`${turn}. ${long}`);
    const folds = (await log("compaction")).map(({ summary }) => summary);
    assert.equal(folds[0], "First.");
    assert.equal(folds[1], "Second.");
    assert.match(promptOf(-2), /KEEP First\. AND ## User/);
  });

  test("can be cancelled while the worker writes, and asked again", async (t) => {
    const steps: ScriptedStep[] = [{ silent: true }, answer("Lanterns."), answer("Five.")];
    const { world, instance, sessionId, ask, promptOf } = await begin(t, steps);
    const running = ask(`4. ${long}`);
    await until("the worker's model is called", () => world.provider.requests.length === 4);
    await instance.client.cancelExecution({ sessionId }, world.as());
    const events = await running;
    assert.ok(typesOf(events).includes("finish"));
    assertUnseen(events);
    assert.equal(textOf(await ask(`5. ${long}`)), "Five.");
    assert.match(promptOf(-1), /Lanterns\./);
  });

  test("tells the worker's model that tools of the application are unavailable", async (t) => {
    const call: ScriptedStep = { parts: [{ toolCall: { id: "call_1", name: "look-up", arguments: {} } }] };
    const { ask, promptOf } = await begin(t, [call, answer("Lanterns."), answer("Four.")]);
    const events = await ask(`4. ${long}`);
    assert.equal(textOf(events), "Four.");
    assertUnseen(events);
    assert.match(promptOf(-2), /Tools of the application cannot be called/);
  });

  test("repeats the step with a summary by the worker if its length is refused", async (t) => {
    const refused: ScriptedStep = {
      status: 400,
      error: {
        message: "This model's maximum context length is 300 tokens.",
        code: "context_length_exceeded",
      },
    };
    const steps = [refused, answer("Lanterns."), answer("Four.")];
    const { world, ask, promptOf, log } = await begin(t, steps, { threshold: 100 });
    assert.equal(textOf(await ask(`4. ${long}`)), "Four.");
    assert.equal(world.provider.requests.length, 6);
    assert.match(promptOf(-1), /Lanterns\..*4\. lantern/s);
    const [entry] = await log("compaction");
    assert.deepEqual([entry?.cause, entry?.summarizer], ["refusal", "keeper"]);
    const [error] = await log("error");
    assert.equal(error?.isHandled, true);
  });
});

describe("a conversation with a summary by a worker", () => {
  /** The first two turns are in the summary. */
  const summarised = ["Lanterns.", "Four."].map(answer);

  test("rolled back to before the end of the summary: its messages are read again", async (t) => {
    const { world, instance, sessionId, ask, promptOf } = await begin(t, [...summarised, answer("Again.")]);
    const [first] = await messagesOf(world, instance, sessionId);
    await ask(`4. ${long}`);
    const request = { ...say(sessionId, "Instead."), rollback: { afterMessageId: first?.id ?? "" } };
    const events = await readAll(instance.client.trigger(request, world.as()));
    assert.equal(textOf(events), "Again.");
    assert.match(promptOf(-1), /1\. lantern.*Instead\./s);
    assert.doesNotMatch(promptOf(-1), /Lanterns\./);
  });

  test("cleared: the state of the session has nothing of it left; restored from the session's messages, models read it again", async (t) => {
    const { world, instance, sessionId, ask, promptOf } = await begin(t, [...summarised, answer("Five.")]);
    await ask(`4. ${long}`);
    const shown = await messagesOf(world, instance, sessionId);
    const { client } = instance;
    await client.clearSession({ sessionId }, world.as());
    assert.doesNotMatch(JSON.stringify(await world.document(sessionId)), /Lanterns/);
    const input = { sessionId, messagesJson: JSON.stringify(shown), inputJson: scriptedInput };
    assert.equal((await client.restoreSession(input, world.as())).restored, true);
    assert.equal(textOf(await ask(`5. ${long}`)), "Five.");
    assert.match(promptOf(-1), /This summary stands for.*Lanterns\..*4\. lantern.*5\. lantern/s);
    assert.doesNotMatch(promptOf(-1), /1\. lantern/);
    assert.deepEqual((await messagesOf(world, instance, sessionId)).slice(0, shown.length), shown);
  });

  test("expired: the summary is removed with the state of the session", async (t) => {
    const { world, sessionId, ask } = await begin(t, summarised, {
      settings: { sessionTtlMs: hourMs, timings: { sweepEveryMs: 20 } },
    });
    await ask(`4. ${long}`);
    assert.match(JSON.stringify(await world.document(sessionId)), /Lanterns\./);
    world.clock.advance(hourMs);
    await until(
      "the session is stripped",
      async () => (await world.document(sessionId)).status === "expired",
    );
    assert.doesNotMatch(JSON.stringify(await world.document(sessionId)), /Lanterns/);
  });
});

const callingTool = keeping.replace(
  "  Ask:",
  "  Look: { block: tool-call, tool: look-up, output: SUMMARY }\n  Ask:",
);
/** Its own prompt is too long as well, so that another worker has to write a summary of that. */
const managedBy = (slug: string) =>
  keeping
    .replace("steps:", `workers:\n  ${slug}: { description: Keeps the summary }\nsteps:`)
    .replace(
      "agentic: true",
      `contextManagement: { summarizerWorker: ${slug}, thresholdPercent: 5, recentPercent: 2 }`,
    )
    .replace(
      "  Answer:",
      `  Note: { block: add-message, role: assistant, prompt: noted }
  Insist: { block: add-message, role: user, prompt: insist }
  Answer:`,
    );

const obstacles: Array<{ title: string; steps: ScriptedStep[]; keeper?: string; problem: RegExp }> = [
  {
    title: "fails",
    steps: [{ status: 400, error: { message: "No." } }],
    problem: /The worker "keeper" failed: /,
  },
  { title: "writes nothing", steps: [answer(" ")], problem: /The worker "keeper" returned no summary\./ },
  {
    title: "has no output",
    steps: [answer("Lost.")],
    keeper: keeping.replace("output: SUMMARY\n", ""),
    problem: /returned no summary/,
  },
  { title: "does not exist", steps: [], keeper: "", problem: /no active agent with the slug "keeper"/ },
  {
    title: "has no CONVERSATION",
    steps: [],
    keeper: keeping.replaceAll("CONVERSATION", "TALK"),
    problem: /The worker "keeper" declares no input CONVERSATION/,
  },
  {
    title: "needs another input",
    steps: [],
    keeper: keeping.replace("input:\n", "input:\n  TOPIC: { type: string }\n"),
    problem: /TOPIC is required/,
  },
  {
    title: "calls a tool of the application in a block",
    steps: [],
    keeper: callingTool,
    problem: /Block "Look" cannot run: Tools of the application/i,
  },
];

describe("a conversation whose summary cannot be written because its worker", () => {
  for (const { title, steps, keeper, problem } of obstacles) {
    test(`${title}: continues with the newest messages and a note, and tries again in the next turn`, async (t) => {
      const both = [...steps, answer("Four."), ...steps, answer("Five.")];
      const { world, ask, promptOf, log } = await begin(t, both, { keeper });
      const events = await ask(`4. ${long}`);
      assert.equal(textOf(events), "Four.");
      assertUnseen(events);
      assert.match(promptOf(-1), /earlier messages? (?:are|is) left out.*4\. lantern/s);
      assert.equal(textOf(await ask(`5. ${long}`)), "Five.");
      assert.equal(world.provider.requests.length, 3 + both.length);
      const entries = await log("compaction");
      assert.deepEqual(
        entries.map(({ method }) => method),
        ["trim", "trim"],
      );
      for (const entry of entries) assert.match(String(entry.problem), problem);
    });
  }

  test("has its own context managed by a worker that needs the first one for that: no worker runs inside itself", async (t) => {
    const steps = ["Inner.", "Lanterns.", "Four."].map(answer);
    const { world, ask, promptOf, log } = await begin(t, steps, { keeper: managedBy("helper") });
    world.agents.set("helper", [{ format: "worker", prompts, protocol: managedBy("keeper") }]);
    assert.equal(textOf(await ask(`4. ${long}`)), "Four.");
    assert.match(promptOf(-1), /Lanterns\./);
    assert.equal(world.provider.requests.length, 6);
    const runs = (await log("worker-execution")).map(({ workerSlug }) => workerSlug);
    assert.deepEqual(runs, ["keeper", "helper"]);
    const problems = (await log("compaction")).flatMap(({ problem }) => problem ?? []);
    assert.match(String(problems), /would run itself again: keeper -> helper -> keeper/);
  });
});
