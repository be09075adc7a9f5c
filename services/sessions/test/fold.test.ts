import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { UiMessagePart } from "@muster/client";
import { DisconnectPolicy, View } from "@muster/proto/sessions";
import { describe, type TestContext, test } from "vitest";
import { asStreamEvent, comparable, FoldingClient } from "./support/folding.ts";
import { eventsOf, openSession, result, say, scriptedModel, startWorld } from "./support/harness.ts";
import { finished, modelsThat } from "./support/scripted-model.ts";

type Steps = Parameters<typeof startWorld>[1];

const head = `
input:
  MODEL: { type: string, default: ${scriptedModel} }
variables:
  OUT: { type: unknown }
resources:
  CART: { type: unknown, default: empty }
types:
  Mood: { mood: { type: string } }
tools:
  get-order: { description: Looks up an order, parameters: { number: { type: string, optional: true } } }
  streamed: { description: Shows all, display: stream }
  titled: { description: Shows its title, display: title, title: Checking }
  named: { description: Shows its name, display: name }
  secret: { description: Shows nothing, display: hidden }
triggers:
  say: { input: { TEXT: { type: string } } }
agent:
  model: MODEL
  backupModel: demo/echo
  tools: [get-order, streamed, titled, named, secret]
  agentic: true
  todoList: true
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT] }
`;

const prompts = {
  message: "{{TEXT}}",
  side: "On the side",
  greeting: "Welcome!",
  note: "Only for the model",
};

/** Runs the blocks after the user's message; the session is asked on two instances. */
async function clientOf(t: TestContext, blocks: string, steps: Steps) {
  const world = await startWorld(t, steps);
  world.agents.set("agt_chat", [{ prompts, protocol: `${head}${blocks}` }]);
  const instances = [await world.addInstance(), await world.addInstance()] as const;
  const sessionId = await openSession(world, instances[0], {});
  return { client: new FoldingClient(world, instances, sessionId), world, instances };
}

const answer = "    Answer: { block: next-message }\n";
const toolCall = (name: string, id: string, args: object | string = { number: "7" }) => ({
  toolCall: { id, name, arguments: typeof args === "string" ? args : { ...args } },
});
const says = (text: string) => ({ parts: [{ text }] });

function partsOf({ fold }: FoldingClient): UiMessagePart[] {
  return fold.messages().findLast(({ role }) => role === "assistant")?.parts ?? [];
}

function kindsOf(client: FoldingClient): string[] {
  return partsOf(client).map((part) => ("status" in part ? `${part.type} ${part.status}` : part.type));
}

describe("the messages that a client assembles from events are those of the session", () => {
  test("text and reasoning", async (t) => {
    const { client } = await clientOf(t, answer, [
      { parts: [{ reasoning: "Let me think." }, { text: "Good day." }] },
    ]);
    await client.trigger("Hello", { sender: { id: "u1", name: "Ada" } });
    assert.deepEqual(kindsOf(client), ["reasoning done", "text done"]);
    await client.compareRestored();
  });

  test("files of tool results, of which only those of calls that show their results remain", async (t) => {
    const file = (name: string) => ({
      id: name,
      mediaType: "text/plain",
      url: `https://files.example/${name}`,
    });
    const { client } = await clientOf(t, answer, [
      { parts: [toolCall("streamed", "c1"), toolCall("get-order", "c2"), toolCall("named", "c3")] },
      says("Done."),
    ]);
    await client.trigger("Hello");
    const toolResults = ["c1", "c2", "c3"].map((id) => ({
      ...result(id, "yes"),
      files: [file(`of-${id}`), file(`more-of-${id}`)],
    }));
    await client.trigger("", { toolResults });
    const available = client.events.flatMap((event) => (event.type === "file-available" ? event.id : []));
    assert.deepEqual(available, ["of-c1", "more-of-c1", "of-c2", "more-of-c2"]);
    assert.deepEqual(kindsOf(client).filter((kind) => kind === "file").length, 4);
    await client.compareRestored();
  });

  test("several steps with parallel calls of every display, their results, errors and calls left without a result", async (t) => {
    const names = ["get-order", "streamed", "titled", "named", "secret"];
    const calls = names.map((name) => toolCall(name, `ok_${name}`).toolCall);
    const failing = names.map((name) => toolCall(name, `bad_${name}`).toolCall);
    const lost = names.map((name) => toolCall(name, `lost_${name}`).toolCall);
    const { client } = await clientOf(t, answer, [
      { parts: [{ text: "First." }, { toolCalls: [...calls, ...failing, ...lost] }] },
      { parts: [{ text: "Then." }, toolCall("streamed", "again", '{"number":')] },
      { parts: [{ text: "Then." }, toolCall("no-such-tool", "unknown")] },
      says("Done."),
    ]);
    await client.trigger("Hello");
    assert.equal(client.fold.messages().at(-1)?.status, "streaming");
    const toolResults = [
      ...names.map((name) => result(`ok_${name}`, { found: name }, name)),
      ...names.map((name) => ({
        toolCallId: `bad_${name}`,
        toolName: name,
        outcome: { case: "error" as const, value: `No ${name}` },
      })),
    ];
    await client.trigger("Hello", { toolResults });
    const statuses = partsOf(client).flatMap((part) =>
      part.type === "tool-call" ? `${part.toolCallId} ${part.status}` : [],
    );
    const visible = names.filter((name) => name !== "secret");
    assert.deepEqual(statuses, [
      ...visible.map((name) => `ok_${name} done`),
      ...visible.map((name) => `bad_${name} error`),
      ...visible.map((name) => `lost_${name} cancelled`),
      "again error",
      "unknown error",
    ]);
    const live = partsOf(client).find(
      (part) => part.type === "tool-call" && part.toolCallId === "ok_get-order",
    );
    assert.ok(live?.type === "tool-call" && live.result !== undefined, "its result is shown live");
    await client.compareRestored();
  });

  test("tools that the caller brings, and a pause that the next message leaves behind", async (t) => {
    const { client } = await clientOf(t, answer, [
      { parts: [toolCall("screen", "s1"), toolCall("named", "n1")] },
      says("New turn."),
    ]);
    const dynamicTools = [{ name: "screen", description: "Looks", inputSchemaJson: '{"type":"object"}' }];
    await client.trigger("Hello", { dynamicTools });
    assert.deepEqual(kindsOf(client), ["tool-call running", "tool-call running"]);
    await client.trigger("Never mind");
    assert.deepEqual(
      client.fold.messages()[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "cancelled"],
    );
  });

  test("messages that a handler adds in the middle of a turn", async (t) => {
    const blocks = `${answer}
    Greet: { block: add-message, role: assistant, prompt: greeting }
    Note: { block: add-message, role: user, prompt: note, visible: false }
    Again: { block: next-message }
    Ask: { block: add-message, role: user, prompt: side }
    Last: { block: next-message }
`;
    const { client } = await clientOf(t, blocks, [
      says("One."),
      { parts: [toolCall("streamed", "s1")] },
      says("Two."),
      says("Three."),
    ]);
    await client.trigger("Hello");
    await client.trigger("Hello", { toolResults: [result("s1", 1, "streamed")] });
    assert.deepEqual(
      client.fold.messages().map(({ role, parts }) => `${role} ${parts.map(({ type }) => type).join()}`),
      [
        "user text",
        "assistant text",
        "assistant text",
        "assistant tool-call,step-start,text",
        "user text",
        "assistant text",
      ],
    );
    await client.compareRestored();
  });

  for (const display of ["hidden", "name", "title", "description", "stream"]) {
    test(`blocks of every kind with the display ${display}, paused and continued`, async (t) => {
      const look = `display: ${display}, title: Working, description: Works on it`;
      const blocks = `
    Save: { block: set-resource, resource: CART, value: TEXT, ${look} }
    Open: { block: start-thread, thread: side, model: MODEL, tools: [streamed], agentic: true, ${look} }
    Call: { block: tool-call, tool: get-order, input: { number: TEXT }, output: OUT, ${look} }
    Main: { block: next-message, ${look} }
    Ask: { block: add-message, role: user, prompt: side, thread: side }
    Side: { block: next-message, thread: side, ${look} }
    Copy: { block: serialize-thread, thread: side, format: markdown, output: OUT, ${look} }
`;
      const { client } = await clientOf(t, blocks, [
        { parts: [{ text: "One." }, toolCall("streamed", "main")] },
        says("Two."),
        { parts: [{ text: "Three." }, toolCall("streamed", "side")] },
        says("Four."),
      ]);
      const events = await client.trigger("7");
      const call = events.flatMap((event) => (event.type === "tool-request" ? event.toolCalls : []))[0];
      await client.trigger("7", { toolResults: [result(call?.toolCallId ?? "", "found", "get-order")] });
      await client.trigger("7", { toolResults: [result("main", "m", "streamed")] });
      await client.trigger("7", { toolResults: [result("side", "s", "streamed")] });
      assert.equal(partsOf(client).length > 0, display !== "hidden");
      assert.deepEqual(client.fold.resources, { CART: "7" });
      await client.compareRestored();
    });
  }

  test("independent blocks leave nothing behind, on any thread, even while they wait for tools", async (t) => {
    const blocks = `
    Open: { block: start-thread, thread: side, model: MODEL, tools: [streamed], agentic: true }
    Ask: { block: add-message, role: user, prompt: side, thread: side }
    Aside: { block: next-message, independent: true, output: OUT }
    Elsewhere: { block: next-message, thread: side, independent: true }
    Named: { block: next-message, independent: true, display: name }
${answer}`;
    const { client } = await clientOf(t, blocks, [
      { parts: [{ text: "Aside." }, toolCall("streamed", "a1")] },
      says("More."),
      says("Elsewhere."),
      says("Named."),
      says("For all."),
    ]);
    await client.trigger("Hello");
    await client.trigger("Hello", { toolResults: [result("a1", 1, "streamed")] });
    assert.deepEqual(kindsOf(client), ["text done"]);
    assert.ok(JSON.stringify(client.events).includes("Elsewhere."));
  });

  test("objects: complete, of the wrong type, broken off, and corrected", async (t) => {
    const blocks = "    Answer: { block: next-message, responseType: Mood }\n";
    const { client } = await clientOf(t, blocks, [
      { parts: [{ text: '{"mood":"glad"}' }] },
      { parts: [{ text: '```json\n{"mood":"fenced"}\n```' }] },
      { parts: [{ text: '{"mood":8}' }] },
      { parts: [{ text: '{"mood":7}' }] },
      { parts: [{ text: "Glad." }] },
      { parts: [{ text: '{"mood":"gl' }], finish: "length" },
      { parts: [{ text: '{"mood":9}' }] },
      { parts: [{ text: '{"mood":"mended"}' }] },
    ]);
    for (const _ of [1, 2, 3, 4, 5]) await client.trigger("Hello");
    const objects = client.fold
      .messages()
      .flatMap(({ parts }) => parts.filter(({ type }) => type === "object"));
    assert.deepEqual(
      objects.map((part) => part.type === "object" && (part.object ?? part.partial)),
      [{ mood: "glad" }, { mood: "fenced" }, { mood: 7 }, { mood: "gl" }, { mood: "mended" }],
    );
    await client.compareRestored();
  });

  test("a to-do list that changes, and platform tools", async (t) => {
    const list = (status: string) => ({ todos: [{ content: "Look", status }] });
    const { client } = await clientOf(t, answer, [
      { parts: [{ text: "Plan." }, toolCall("platform_todo_write", "t1", list("pending"))] },
      { parts: [{ text: "Go." }, toolCall("platform_todo_write", "t2", list("completed"))] },
      says("Done."),
    ]);
    await client.trigger("Hello");
    assert.deepEqual(kindsOf(client), [
      "text done",
      "todo done",
      "step-start",
      "text done",
      "step-start",
      "text done",
    ]);
    await client.compareRestored();
  });

  test("a step that is retracted and made on the backup model", async (t) => {
    const { client } = await clientOf(t, answer, [
      { parts: [{ text: "First." }, toolCall("streamed", "s1")] },
      {
        parts: [{ reasoning: "Lost thoughts" }, { text: "Lost words" }, toolCall("streamed", "s2")],
        ending: "cut",
      },
    ]);
    await client.trigger("Hello");
    const events = await client.trigger("Hello", { toolResults: [result("s1", 1, "streamed")] });
    assert.ok(events.some(({ type }) => type === "step-discard"));
    assert.ok(!JSON.stringify(client.fold.messages()).includes("Lost"));
  });

  test("a turn that fails after it has shown something, and the next one", async (t) => {
    const blocks = `${answer}    Named: { block: next-message, display: name }\n`;
    const refused = { status: 400, error: { message: "No." } };
    const { client } = await clientOf(t, blocks, [says("One."), refused, says("Two."), says("Three.")]);
    const events = await client.trigger("Hello");
    assert.equal(events.at(-1)?.type, "error");
    assert.deepEqual(kindsOf(client), ["text done", "operation cancelled"]);
    await client.trigger("Hello again");
    assert.deepEqual(kindsOf(client), ["text done", "operation done"]);
  });

  test("a rollback and a new turn, also to nothing", async (t) => {
    const { client } = await clientOf(t, answer, ["One.", "Two.", "Other.", "New."].map(says));
    await client.trigger("Hello");
    const [question] = client.fold.messages();
    await client.trigger("More");
    await client.trigger("Once more", { rollback: { afterMessageId: question?.id ?? "" } });
    assert.equal(client.fold.messages().length, 3);
    await client.trigger("From the start", { rollback: {} });
    assert.equal(client.fold.messages().length, 2);
  });

  test("a turn of many steps that is stored in pieces", async (t) => {
    const long = "word ".repeat(4_000);
    const steps = [1, 2, 3, 4].map((number) => ({
      parts: [{ text: long }, toolCall("platform_todo_write", `t${number}`, { todos: [] })],
    }));
    const { client, world } = await clientOf(t, answer, [...steps, says("Done.")]);
    await client.trigger("Hello");
    const { tail } = await world.document(client.sessionId);
    assert.ok(
      (await world.chunks.countDocuments({ sessionId: client.sessionId })) > 0,
      `all in the document: ${tail?.length}`,
    );
    assert.equal(client.fold.messages().length, 2);
  });

  test("a client that has read a paused session continues it from the events alone", async (t) => {
    const { client, world, instances } = await clientOf(t, answer, [
      { parts: [{ text: "First." }, toolCall("streamed", "s1"), toolCall("named", "n1")] },
      says("Done."),
    ]);
    await client.trigger("Hello");
    const later = new FoldingClient(world, instances, client.sessionId, client.fold.messages("stored"));
    await later.trigger("Hello", { toolResults: [result("s1", 1, "streamed"), result("n1", 2, "named")] });
    assert.deepEqual(kindsOf(later).at(-1), "text done");
  });
});

describe("while a turn runs", () => {
  /** Writes a bit of everything, then waits. */
  function halting() {
    const hold = Promise.withResolvers<void>();
    async function* talk(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
      const gone = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      yield { type: "reasoning-start", id: "r" };
      yield { type: "reasoning-delta", id: "r", delta: "Hm." };
      yield { type: "reasoning-end", id: "r" };
      yield { type: "source", sourceType: "url", id: "a", url: "https://example.com", title: "An example" };
      // No client may follow it.
      yield { type: "source", sourceType: "url", id: "x", url: "javascript:alert(1)", title: "A script" };
      yield { type: "source", sourceType: "document", id: "b", mediaType: "text/plain", title: "Notes" };
      yield { type: "tool-input-start", id: "c1", toolName: "streamed" };
      yield { type: "tool-input-delta", id: "c1", delta: '{"number":"7' };
      yield { type: "text-start", id: "0" };
      yield { type: "text-delta", id: "0", delta: "First " };
      await Promise.race([hold.promise, gone]);
      yield { type: "text-delta", id: "0", delta: "last." };
      yield { type: "text-end", id: "0" };
      yield finished;
    }
    return { models: modelsThat(talk), goOn: () => hold.resolve() };
  }

  async function begin(t: TestContext) {
    const { models, goOn } = halting();
    const world = await startWorld(t);
    world.agents.set("agt_chat", [{ prompts, protocol: `${head}${answer}` }]);
    const timings = { earlySaveMs: 20, flushEventsEveryMs: 10, pollEventsEveryMs: 10 };
    const instances = [
      await world.addInstance({ timings }, { models }),
      await world.addInstance({ timings }, { models }),
    ] as const;
    const sessionId = await openSession(world, instances[0], {});
    return { client: new FoldingClient(world, instances, sessionId), world, instances, goOn };
  }

  test("a session shows the same as its stream has shown up to its latest persisted event", async (t) => {
    const { client, world, instances, goOn } = await begin(t);
    const events = eventsOf(instances[0].client.trigger(say(client.sessionId, "Hello"), world.as()));
    let wasCompared = false;
    for await (const event of events) {
      const taken = asStreamEvent(event);
      client.take([taken]);
      if (taken.type !== "persisted" || wasCompared) continue;
      await client.compare();
      assert.equal(client.fold.messages().at(-1)?.status, "streaming");
      wasCompared = true;
      for (const { client: reader } of instances) {
        const { session } = await client.read(reader, View.UI);
        assert.equal(session?.turn?.afterSequence, taken.sequence, "where its messages end");
      }
      goOn();
    }
    assert.ok(wasCompared);
    await client.compare();
    assert.equal((await client.read(instances[0].client, View.UI)).session?.turn, undefined);
    const link = partsOf(client).find(({ type }) => type === "source");
    const example = { sourceType: "url", id: "src_2", url: "https://example.com", title: "An example" };
    assert.deepEqual(link, { type: "source", ...example });
    assert.deepEqual(kindsOf(client), [
      "reasoning done",
      "source",
      "source",
      "tool-call cancelled",
      "text done",
    ]);
  });

  test("a turn that is cancelled, or whose reader leaves, shows the same later", async (t) => {
    const { client, world, instances } = await begin(t);
    const { sessionId } = client;
    const stream = instances[0].client.trigger(say(sessionId, "Hello"), world.as());
    for await (const event of eventsOf(stream)) {
      client.take([asStreamEvent(event)]);
      if (event.type === "text-delta") await instances[1].client.cancelExecution({ sessionId }, world.as());
    }
    await client.compare();
    assert.equal(kindsOf(client).at(-2), "tool-call cancelled");

    const leaving = new AbortController();
    const left = instances[0].client.trigger(
      { ...say(sessionId, "Again"), onDisconnect: DisconnectPolicy.CANCEL },
      world.as({}, { signal: leaving.signal }),
    );
    let executionId = "";
    await assert.rejects(async () => {
      for await (const event of eventsOf(left)) {
        if (event.type === "start") executionId = String(event.executionId);
        if (event.type === "text-delta") leaving.abort();
      }
    });
    const ids = { sessionId, executionId };
    for await (const { events } of instances[1].client.resumeExecution(ids, world.as())) {
      client.take(events.map(({ json }) => asStreamEvent(JSON.parse(json))));
    }
    await client.compare();
    const texts = comparable(client.fold.messages()).map(({ parts }) => parts.at(-1));
    assert.deepEqual(texts.at(-1), { type: "text", text: "First ", status: "done" });
  });
});
