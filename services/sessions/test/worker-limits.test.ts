import assert from "node:assert/strict";
import type { WorkerPart } from "@muster/client";
import type { ScriptedStep } from "@muster/models/testing";
import { describe, type TestContext, test } from "vitest";
import { FoldingClient } from "./support/folding.ts";
import { openSession, scriptedModel, startWorld } from "./support/harness.ts";

const prompts = { message: "{{TEXT}}", task: "{{TOPIC}}" };

const chatCalling = (slug: string, maxSteps = 100) => `
triggers:
  say: { input: { TEXT: { type: string } } }
agent:
  model: ${scriptedModel}
  workers: [${slug}]
  agentic: true
  maxSteps: ${maxSteps}
workers:
  ${slug}: { description: Finds, display: stream }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
    Answer: { block: next-message }
`;

/** Its model may call another worker. */
const workerCalling = (slug?: string) => `
input:
  TOPIC: { type: string, default: night }
variables:
  FOUND: { type: string }
${slug === undefined ? "" : `workers:\n  ${slug}: { description: Finds, display: stream }`}
steps:
  Open: { block: start-thread, thread: main, model: ${scriptedModel}, agentic: true${slug === undefined ? "" : `, workers: [${slug}]`} }
  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;

/** Needs no model. */
const instant = `
variables:
  FOUND: { type: string, default: owls }
steps:
  Open: { block: start-thread, thread: main, model: ${scriptedModel} }
output: FOUND
`;

async function start(t: TestContext, chat: string, workers: Record<string, string>) {
  const world = await startWorld(t);
  world.agents.set("agt_chat", [{ prompts, protocol: chat }]);
  for (const [slug, protocol] of Object.entries(workers))
    world.agents.set(slug.replaceAll("-", "_"), [{ format: "worker", prompts, protocol }]);
  const instance = await world.addInstance();
  const sessionId = await openSession(world, instance, {});
  return { world, client: new FoldingClient(world, [instance], sessionId) };
}

function calls(name: string, count = 1): ScriptedStep {
  return { parts: [{ toolCalls: Array.from({ length: count }, () => ({ name, arguments: {} })) }] };
}

const says = (text: string): ScriptedStep => ({ parts: [{ text }] });

/** The results of its calls that the model reads. */
function resultsIn(body: Record<string, unknown> | undefined): string[] {
  assert.ok(Array.isArray(body?.messages));
  const messages: Array<{ role: string; content: string }> = body.messages;
  return messages.flatMap(({ role, content }) => (role === "tool" ? content : []));
}

function cardsOf({ fold }: FoldingClient): WorkerPart[] {
  const parts = fold.messages().findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.flatMap((part) => (part.type === "worker" ? part : []));
}

describe("the limits of workers", () => {
  test("a model that asks for 1,000 workers at once gets 32, and an error for each of the others, and continues", async (t) => {
    const { world, client } = await start(t, chatCalling("find-owls"), { "find-owls": workerCalling() });
    world.provider.add(calls("find-owls", 1_000));
    world.provider.answerBy(({ body }) =>
      says(JSON.stringify(body.messages).includes("tool_calls") ? "All asked." : "Owls."),
    );
    const events = await client.trigger("Everything, please");
    assert.equal(events.at(-1)?.type, "finish");
    assert.equal(world.provider.requests.length, 1 + 32 + 1);
    const results = resultsIn(world.provider.requests.at(-1)?.body);
    assert.equal(results.length, 1_000);
    assert.equal(results.filter((result) => result.includes("Owls.")).length, 32);
    assert.equal(
      results.filter((result) => /At most 32 workers run at the same time\./.test(result)).length,
      968,
    );
    const done = cardsOf(client).filter(({ status }) => status === "done");
    assert.equal(done.length, 32);
  });

  test("a turn starts 1,000 workers in all; the model reads that further calls fail, and answers", async (t) => {
    const { world, client } = await start(t, chatCalling("find-owls"), { "find-owls": instant });
    let steps = 0;
    world.provider.answerBy(() => (++steps <= 32 ? calls("find-owls", 32) : says("Enough.")));
    const events = await client.trigger("Everything, please");
    assert.equal(events.at(-1)?.type, "finish");
    const results = resultsIn(world.provider.requests.at(-1)?.body);
    assert.equal(
      results.filter((result) => result.includes("At most 1,000 workers run in one turn.")).length,
      24,
    );
    assert.equal(events.filter(({ type }) => type === "worker-result").length, 1_024);
    assert.equal(cardsOf(client).filter(({ status }) => status === "done").length, 1_000);
    world.provider.answerBy(() => says("Again."));
    world.provider.replace(calls("find-owls"));
    await client.trigger("And one more");
    assert.equal(cardsOf(client).at(-1)?.status, "done", "the next turn begins to count at zero");
  });

  test("workers call one another four deep; the fifth call is an error that the fourth worker's model reads", async (t) => {
    const slugs = ["level-1", "level-2", "level-3", "level-4", "level-5"];
    const workers = Object.fromEntries(slugs.map((slug, index) => [slug, workerCalling(slugs[index + 1])]));
    const { world, client } = await start(t, chatCalling("level-1"), workers);
    for (const slug of slugs) world.provider.add(calls(slug));
    world.provider.add(...Array.from({ length: 5 }, () => says("Up.")));
    await client.trigger("Dig");
    const [refused] = resultsIn(world.provider.requests[5]?.body);
    assert.match(
      refused ?? "",
      /at most 4 deep: level-1 -> level-2 -> level-3 -> level-4 cannot call level-5/,
    );
    assert.deepEqual(
      cardsOf(client).map(({ workerSlug, status }) => `${workerSlug} ${status}`),
      slugs.slice(0, 4).map((slug) => `${slug} done`),
    );
  });

  test("a worker that calls itself through another one gets an error with the path, and the turn ends well", async (t) => {
    const workers = { "find-owls": workerCalling("find-bats"), "find-bats": workerCalling("find-owls") };
    const { world, client } = await start(t, chatCalling("find-owls"), workers);
    for (const slug of ["find-owls", "find-bats", "find-owls"]) world.provider.add(calls(slug));
    world.provider.add(says("No owls."), says("No bats."), says("Nothing."));
    const events = await client.trigger("Round and round");
    assert.equal(events.at(-1)?.type, "finish");
    const [refused] = resultsIn(world.provider.requests[3]?.body);
    assert.match(refused ?? "", /would run itself again: find-owls -> find-bats -> find-owls\./);
  });
});
