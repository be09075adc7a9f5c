import assert from "node:assert/strict";
import { HttpAgent, type Message } from "@ag-ui/client";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Chats, calls, startChats } from "../support/dialects/start-chats.ts";
import { sampleFiles, uploadFiles } from "../support/upload.ts";

/** The messages in short. */
const shown = (messages: readonly Message[]) =>
  messages.map((message) => {
    const made =
      "toolCalls" in message
        ? (message.toolCalls ?? []).map(({ id, function: { name } }) => `${name} ${id}`)
        : [];
    return [message.role, message.content, ...made].filter(Boolean).join(": ");
  });

describe("HttpAgent of AG-UI", () => {
  const scope = suiteScope();
  let chats: Chats;
  beforeAll(async () => {
    chats = await startChats(scope);
  });

  const open = (threadId: string) =>
    new HttpAgent({
      ...{ url: `${chats.url}/api/ag-ui/desk`, threadId },
      headers: { authorization: `Bearer ${chats.key}` },
    });
  let ids = 0;
  const say = (agent: HttpAgent, content: string) =>
    agent.addMessage({ id: `user-${++ids}`, role: "user", content });

  test("runs a turn with its reasoning and text, and the next one continues the conversation", async () => {
    chats.provider.add({ parts: [{ reasoning: "Hm." }, { text: "It is on its way." }] });
    const agent = open("text");
    say(agent, "Where is my order?");
    await agent.runAgent();
    assert.deepEqual(shown(agent.messages), [
      ...["user: Where is my order?", "reasoning: Hm.", "assistant: It is on its way."],
    ]);
    chats.provider.add({ parts: [{ text: "Tomorrow." }] });
    say(agent, "When?");
    await agent.runAgent();
    assert.equal(shown(agent.messages).at(-1), "assistant: Tomorrow.");
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /Where is.*on its way.*When\?/);
  });

  test("makes the calls of its own tools and of the agent's, and sends their results", async () => {
    const own = { id: "call_b", name: "show-map", arguments: { city: "Bonn" } };
    chats.provider.add(
      calls("get-order", "call_a"),
      { parts: [{ toolCall: own }] },
      { parts: [{ text: "There." }] },
    );
    const agent = open("tools");
    const tools = [
      { name: "show-map", description: "Shows a map.", parameters: { type: "object", properties: {} } },
    ];
    say(agent, "Where is order 7?");
    await agent.runAgent({ tools });
    assert.deepEqual(shown(agent.messages).slice(1), ["assistant: get-order call_a"]);
    agent.addMessage({ id: "r1", role: "tool", toolCallId: "call_a", content: '{"city":"Bonn"}' });
    await agent.runAgent({ tools });
    agent.addMessage({ id: "r2", role: "tool", toolCallId: "call_b", content: "", error: "No map." });
    await agent.runAgent({ tools });
    assert.deepEqual(shown(agent.messages).slice(1), [
      ...["assistant: get-order call_a", 'tool: {"city":"Bonn"}', "assistant: show-map call_b", "tool"],
      "assistant: There.",
    ]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /No map/);
  });

  test("answers an interrupt, and the turn continues with the decision", async () => {
    chats.provider.add(calls("refund", "call_c"), { parts: [{ text: "Then not." }] });
    const agent = open("interrupt");
    say(agent, "Refund order 7.");
    await agent.runAgent();
    const [interrupt] = agent.pendingInterrupts;
    assert.partialDeepStrictEqual(interrupt, { message: "Refund 7", toolCallId: "call_c" });
    const payload = { approved: false, message: "Too late." };
    await agent.runAgent({ resume: [{ interruptId: String(interrupt?.id), status: "resolved", payload }] });
    assert.deepEqual(shown(agent.messages).slice(1), [
      ...["assistant: refund call_c", "tool: The call was denied: Too late.", "assistant: Then not."],
    ]);
  });

  test("shows the model a file that was uploaded, and is refused one inside the message", async () => {
    chats.provider.add({ parts: [{ text: "Hello." }] }, { parts: [{ text: "At nine." }] });
    const agent = open("files");
    say(agent, "Hello");
    await agent.runAgent();
    const read = { threadId: "files", runId: "r", messages: [] };
    const { headers } = await chats.client.request("POST", "/api/ag-ui/desk", read);
    const [file] = await uploadFiles(chats.client, String(headers.get("x-session-id")), sampleFiles.slice(2));
    assert.ok(file);
    const document = (source: { type: "url" | "data"; value: string }) => ({
      ...{ type: "document" as const, source: { ...source, mimeType: file.mediaType } },
    });
    agent.addMessage({ id: "f1", role: "user", content: [document({ type: "url", value: file.url })] });
    await agent.runAgent();
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /opens at nine/);
    agent.addMessage({ id: "f2", role: "user", content: [document({ type: "data", value: "aGk=" })] });
    await assert.rejects(agent.runAgent(), /upload the file first/);
  });

  test("is told why a run failed", async () => {
    chats.provider.add({ status: 400, error: { message: "The model is gone." } });
    const agent = open("error");
    say(agent, "Hello");
    const errors: string[] = [];
    await agent
      .runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) })
      .catch(() => undefined);
    assert.match(String(errors), /model/i);
    const unknown = new HttpAgent({
      url: `${chats.url}/api/ag-ui/missing`,
      headers: { authorization: `Bearer ${chats.key}` },
    });
    say(unknown, "Hello");
    await assert.rejects(unknown.runAgent(), /404.*NOT_FOUND/);
  });

  test("returns to a thread with its messages, and follows the turn that is running", async () => {
    const pause = Promise.withResolvers<void>();
    const call = calls("look-up", "call_d");
    assert.ok("parts" in call);
    const asking = { parts: [{ text: "I look. " }, ...call.parts] };
    chats.provider.add(asking, {
      parts: [{ text: "First " }, { until: pause.promise }, { text: "last." }],
    });
    const agent = open("reconnect");
    say(agent, "Hello");
    await agent.runAgent();
    agent.addMessage({ id: "r3", role: "tool", toolCallId: "call_d", content: "shipped" });
    const left = agent.runAgent().catch(() => undefined);
    await until("the turn writes", () => shown(agent.messages).includes("assistant: First "));
    agent.abortRun();
    await left;
    const later = open("reconnect");
    const followed = later.runAgent();
    await until("the turn is followed", () => shown(later.messages).includes("assistant: First "));
    pause.resolve();
    await followed;
    const rest = ["tool: null", "assistant: First last."];
    const calling = "assistant: I look. : look-up call_d";
    assert.deepEqual(shown(later.messages), ["user: Hello", calling, ...rest]);
    const again = open("reconnect");
    await again.runAgent();
    const stored = ["user: Hello", "assistant: I look. ", "assistant: look-up call_d", ...rest];
    assert.deepEqual(shown(again.messages), stored);
  });
});
