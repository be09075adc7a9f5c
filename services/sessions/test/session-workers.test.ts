import assert from "node:assert/strict";
import type { UiMessagePart, WorkerPart } from "@muster/client";
import { describe, type TestContext, test } from "vitest";
import { FoldingClient } from "./support/folding.ts";
import { openSession, result, startWorld } from "./support/harness.ts";

const prompts = {
  message: "{{TEXT}}",
  task: "Say {{TOPIC}}",
  search: "look-up {{TOPIC}}",
  delegate: "Use find-bats for {{TOPIC}}",
};

const head = `
input:
  MODEL: { type: string, default: demo/echo }
variables:
  OUT: { type: unknown }
tools:
  search-web: { description: Searches, parameters: { query: { type: string, optional: true } } }
triggers:
  say: { input: { TEXT: { type: string } } }
agent:
  model: MODEL
  tools: [search-web]
  workers: [find-owls, find-bats]
  agentic: true
workers:
  find-owls: { description: Finds owls, display: stream, tools: { look-up: search-web } }
  find-bats: { description: Finds bats, display: stream }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
`;

/** A worker whose model repeats its topic, with other blocks around. */
const finder = `
input:
  TOPIC: { type: string, default: night }
variables:
  FOUND: { type: string }
tools:
  look-up: { description: Looks up, display: stream, parameters: { name: { type: string, optional: true } } }
steps:
  Open: { block: start-thread, thread: main, model: demo/echo, tools: [look-up], agentic: true }
  Ask: { block: add-message, role: user, prompt: task, input: [TOPIC] }
  Answer: { block: next-message, output: FOUND }
output: FOUND
`;

async function clientOf(t: TestContext, blocks: string, workers: Record<string, string> = {}) {
  const world = await startWorld(t);
  world.agents.set("agt_chat", [{ prompts, protocol: `${head}${blocks}` }]);
  const all = { find_owls: finder, find_bats: finder, ...workers };
  for (const [id, protocol] of Object.entries(all))
    world.agents.set(id, [{ format: "worker", prompts, protocol }]);
  const instances = [await world.addInstance(), await world.addInstance()] as const;
  const sessionId = await openSession(world, instances[0], {});
  return { world, instances, client: new FoldingClient(world, instances, sessionId) };
}

const answer = "    Answer: { block: next-message }\n";

function cardsOf({ fold }: FoldingClient): Array<WorkerPart & UiMessagePart> {
  const parts = fold.messages().findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.flatMap((part) => (part.type === "worker" ? part : []));
}

function textIn({ parts }: WorkerPart): string {
  return parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
}

describe("a session that runs workers", () => {
  test("a block runs a worker, and its result is in the variable for later blocks", async (t) => {
    const run = `    Run: { block: run-worker, worker: find-owls, input: { TOPIC: TEXT }, output: OUT }
    Tell: { block: add-message, role: user, prompt: message, input: [TEXT: OUT], visible: false }
${answer}`;
    const { client } = await clientOf(t, run);
    const events = await client.trigger("barn owls");
    const [card] = cardsOf(client);
    assert.equal(card?.status, "done");
    assert.deepEqual(card?.input, { TOPIC: "barn owls" });
    assert.match(textIn(card), /You said: Say barn owls/);
    assert.equal(card?.output, textIn(card));
    const text = events.flatMap((event) =>
      event.type === "text-delta" && !event.workerId ? event.delta : [],
    );
    assert.match(
      text.join(""),
      /You said: barn owls \[demo\/echo, not a language model\] You said: Say barn owls/,
    );
    await client.compareRestored();
  });

  test("a model calls two workers in one step, and both run at the same time", async (t) => {
    const { client } = await clientOf(t, answer);
    const events = await client.trigger("Use find-owls and find-bats.");
    const cards = cardsOf(client);
    assert.deepEqual(
      cards.map(({ workerSlug, status }) => `${workerSlug} ${status}`),
      ["find-owls done", "find-bats done"],
    );
    const types = events.map(({ type }) => type);
    assert.ok(types.lastIndexOf("worker-start") < types.indexOf("worker-result"), "they overlap");
    await client.compareRestored();
  });

  test("tools of several workers pause the turn once, under the session's own names, and any instance continues all", async (t) => {
    const searching = finder.replace("prompt: task", "prompt: search");
    const workers = { find_owls: searching, find_bats: searching };
    const { client, instances, world } = await clientOf(t, answer, workers);
    const events = await client.trigger("Use find-owls and find-bats.");
    const request = events.find(({ type }) => type === "tool-request");
    assert.ok(request?.type === "tool-request");
    const [owls, bats] = cardsOf(client);
    assert.deepEqual(
      request.toolCalls.map(({ toolName, workerId }) => [toolName, workerId]),
      [
        ["search-web", owls?.workerId],
        ["look-up", bats?.workerId],
      ],
    );
    assert.deepEqual([owls?.status, bats?.status], ["running", "running"]);
    const other = new FoldingClient(
      world,
      [instances[1], instances[0]],
      client.sessionId,
      client.fold.messages("stored"),
    );
    const [first] = request.toolCalls;
    const toolResults = [result(first?.toolCallId ?? "", "Owls!")];
    await other.trigger("Use find-owls and find-bats.", { toolResults });
    const [after, cancelled] = cardsOf(other);
    assert.match(textIn(after ?? assert.fail()), /Owls!/);
    assert.equal(
      cancelled?.status,
      "done",
      "a call without a result is cancelled, and the worker's model continues",
    );
  });

  test("workers call workers, whose cards are next to theirs", async (t) => {
    const calling = finder
      .replace("steps:", "workers:\n  find-bats: { description: Finds bats, display: stream }\nsteps:")
      .replace("tools: [look-up]", "workers: [find-bats]")
      .replace("prompt: task", "prompt: delegate");
    const { client } = await clientOf(t, answer, { find_owls: calling });
    await client.trigger("Use find-owls.");
    const [owls, bats] = cardsOf(client);
    assert.deepEqual([owls?.status, bats?.status], ["done", "done"]);
    assert.equal(bats?.parentWorkerId, owls?.workerId);
    assert.match(textIn(owls ?? assert.fail()), /find-bats returned/);
    await client.compareRestored();
  });

  test("the parts of a worker that a display hides are shown neither live nor later", async (t) => {
    for (const display of ["hidden", "name", "description"]) {
      const protocol = `${head.replace("Finds owls, display: stream", `Finds owls, display: ${display}`)}${answer}`;
      const { client, world } = await clientOf(t, answer);
      world.agents.set("agt_chat", [{ prompts, protocol }]);
      const fresh = new FoldingClient(world, [await world.addInstance()], client.sessionId);
      const events = await fresh.trigger("Use find-owls.");
      const [card] = cardsOf(fresh);
      assert.equal(card === undefined, display === "hidden");
      assert.equal(card?.input !== undefined, display === "description");
      assert.deepEqual(card?.parts ?? [], []);
      assert.equal(card?.output !== undefined, display === "description");
      assert.ok(events.every((event) => !("workerId" in event) || event.type.startsWith("worker-")));
    }
  });

  test("a worker that does not exist is an error for the model, and fails only the block that runs it", async (t) => {
    const missing = `    Run: { block: run-worker, worker: find-newts }\n${answer}`;
    const { client, world } = await clientOf(t, answer);
    const protocol = head.replace("workers:\n", "workers:\n  find-newts: { description: Finds newts }\n");
    world.agents.set("agt_chat", [{ prompts, protocol: `${protocol}${missing}` }]);
    const [instance] = [await world.addInstance()];
    const sessionId = await openSession(world, instance, {});
    const failing = new FoldingClient(world, [instance], sessionId);
    const events = await failing.trigger("Hello");
    const last = events.at(-1);
    assert.ok(last?.type === "error");
    assert.match(
      last.message,
      /Block "Run" cannot run: The project has no active agent with the slug "find-newts"/,
    );
    void client;
  });
});
