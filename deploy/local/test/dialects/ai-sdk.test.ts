import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Chats, calls, startChats } from "../support/dialects/start-chats.ts";
import { openUiChat, partsOf, versions } from "../support/dialects/ui-chat.ts";
import { sampleFiles, uploadFiles } from "../support/upload.ts";

describe.each(versions)("a chat of the AI SDK %s", (name, ai) => {
  const scope = suiteScope();
  let chats: Chats;
  beforeAll(async () => {
    chats = await startChats(scope);
  });

  const open = (id: string, more: Partial<Parameters<typeof openUiChat>[0]> = {}) =>
    openUiChat({ ai, url: chats.url, key: chats.key, id: `${name}-${id}`, ...more });

  test("shows the reasoning and the text of a turn, and the next one continues the conversation", async () => {
    chats.provider.add({ parts: [{ reasoning: "Hm, let me see." }, { text: "It is on its way." }] });
    const chat = open("text");
    await chat.sendMessage({ text: "Where is my order?" });
    assert.equal(chat.error, undefined);
    assert.equal(chat.status, "ready");
    assert.deepEqual(partsOf(chat), ["step", "reasoning: Hm, let me see.", "text: It is on its way."]);
    chats.provider.add({ parts: [{ text: "Tomorrow." }] });
    await chat.sendMessage({ text: "When?" });
    assert.deepEqual(partsOf(chat), ["step", "text: Tomorrow."]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /Where is.*on its way.*When\?/);
    chats.provider.add({ parts: [{ text: "On Friday." }] });
    await chat.regenerate();
    assert.deepEqual(partsOf(chat), ["step", "text: On Friday."]);
    assert.doesNotMatch(JSON.stringify(chats.provider.requests.at(-1)?.body), /Tomorrow/);
    const short = open("text", { messages: chat.messages.slice(-2, -1) });
    chats.provider.add({ parts: [{ text: "On Sunday." }] });
    await short.regenerate();
    assert.deepEqual(partsOf(short), ["step", "text: On Sunday."]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /Where is.*on its way.*When\?/);
    assert.doesNotMatch(JSON.stringify(chats.provider.requests.at(-1)?.body), /Friday/);
    const [first, ...others] = chat.messages.filter(({ role }) => role === "user");
    assert.ok(first && others.length > 0);
    const edited = open("text", { messages: [first, ...others] });
    await edited.sendMessage({ text: "And when?", messageId: String(others.at(-1)?.id) });
    assert.match(String(edited.error), /assistant's message before/);
  });

  test("makes the calls of its own tools, and sends their results by itself", async () => {
    chats.provider.add(calls("get-order", "call_1"), { parts: [{ text: "It was shipped." }] });
    const chat = open("tools", {
      onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
        void chat.addToolOutput({ tool: toolName, toolCallId, output: { status: "shipped" } });
      },
    });
    await chat.sendMessage({ text: "Where is order 7?" });
    await until("the turn has ended", () => chat.status === "ready" && partsOf(chat).length > 2);
    assert.deepEqual(partsOf(chat), [
      ...["step", "tool-get-order call_1: output-available"],
      ...["step", "text: It was shipped."],
    ]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /shipped/);
  });

  test("decides about a call, which the platform then asks it to make", async () => {
    chats.provider.add(calls("refund", "call_2"), { parts: [{ text: "It is refunded." }] });
    const chat = open("approval", {
      onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
        void chat.addToolOutput({ tool: toolName, toolCallId, output: "done" });
      },
    });
    await chat.sendMessage({ text: "Refund order 7." });
    assert.deepEqual(partsOf(chat), ["step", "tool-refund call_2: approval-requested"]);
    const part = chat.lastMessage?.parts.at(-1);
    assert.ok(part && "approval" in part && part.approval);
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
    await until("the turn has ended", () => chat.status === "ready" && partsOf(chat).length > 2);
    assert.deepEqual(partsOf(chat), [
      ...["step", "tool-refund call_2: output-available"],
      ...["step", "text: It is refunded."],
    ]);
  });

  test("denies a call, and the turn continues without it", async () => {
    chats.provider.add(calls("refund", "call_3"), { parts: [{ text: "Then not." }] });
    const chat = open("denial");
    await chat.sendMessage({ text: "Refund order 7." });
    const part = chat.lastMessage?.parts.at(-1);
    assert.ok(part && "approval" in part && part.approval);
    const stranger = open("stranger", { messages: structuredClone(chat.messages) });
    await stranger.addToolApprovalResponse({ id: part.approval.id, approved: true });
    await until("the decision is refused", () => stranger.status === "error");
    assert.match(String(stranger.error), /has no approval/);
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: false, reason: "Too late." });
    await until("the turn has ended", () => chat.status === "ready" && partsOf(chat).length > 2);
    assert.deepEqual(partsOf(chat), [
      ...["step", "tool-refund call_3: output-error"],
      ...["step", "text: Then not."],
    ]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /Too late/);
  });

  test("shows the model a file that was uploaded, and is refused one inside the message", async () => {
    chats.provider.add({ parts: [{ text: "Hello." }] }, { parts: [{ text: "At nine." }] });
    const chat = open("files");
    await chat.sendMessage({ text: "Hello" });
    const stream = await chats.client.request("GET", `/api/ui/chat/${chat.id}/stream?agentSlug=desk`);
    const sessionId = String(stream.headers.get("x-session-id"));
    const [file] = await uploadFiles(chats.client, sessionId, sampleFiles.slice(2));
    assert.ok(file);
    const { mediaType, filename, url } = file;
    await chat.sendMessage({ text: "When?", files: [{ type: "file", mediaType, filename, url }] });
    assert.deepEqual(partsOf(chat), ["step", "text: At nine."]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /opens at nine/);
    await chat.sendMessage({ text: "And?", files: [{ type: "file", mediaType, url: "data:text/plain,hi" }] });
    assert.match(String(chat.error), /upload the file first/);
  });

  test("is told why a turn failed, and can send the message again", async () => {
    chats.provider.add({ status: 400, error: { message: "The model is gone." } });
    const chat = open("error");
    await chat.sendMessage({ text: "Hello" });
    assert.equal(chat.status, "error");
    assert.match(String(chat.error), /model/i);
    chats.provider.add({ parts: [{ text: "Hello." }] });
    await chat.regenerate();
    assert.deepEqual(partsOf(chat), ["step", "text: Hello."]);
    chats.provider.add({ status: 400, error: { message: "The model is gone." } });
    await chat.sendMessage({ text: "More" });
    chats.provider.add({ parts: [{ text: "Again." }] });
    await chat.regenerate();
    assert.deepEqual(partsOf(chat), ["step", "text: Again."]);
    assert.match(JSON.stringify(chats.provider.requests.at(-1)?.body), /Hello\..*More/);
  });

  test("keeps its turn when it leaves, follows it again from its start, and ends it only by a cancel", async () => {
    const pause = Promise.withResolvers<void>();
    chats.provider.add({ parts: [{ text: "First " }, { until: pause.promise }, { text: "last." }] });
    const chat = open("reconnect");
    void chat.sendMessage({ text: "Hello" });
    await until("the turn writes", () => partsOf(chat).includes("text: First "));
    await chat.stop();
    const later = open("reconnect", { messages: chat.messages.slice(0, 1) });
    const followed = later.resumeStream();
    await until("the turn is followed", () => partsOf(later).includes("text: First "));
    pause.resolve();
    await followed;
    assert.deepEqual(partsOf(later), ["step", "text: First last."]);
    await later.resumeStream();
    assert.equal(later.status, "ready", "nothing runs");

    const never = Promise.withResolvers<void>();
    chats.provider.add({ parts: [{ text: "Too long" }, { until: never.promise }] });
    const sent = later.sendMessage({ text: "And now?" });
    await until("the turn writes", () => partsOf(later).includes("text: Too long"));
    const path = `/api/ui/chat/${later.id}/cancel?agentSlug=desk`;
    assert.equal((await chats.client.json(200, "POST", path)).cancelled, true);
    await sent;
    never.resolve();
    assert.deepEqual(partsOf(later), ["step", "text: Too long"]);
    assert.equal(later.error, undefined);
  });
});
