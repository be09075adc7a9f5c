import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";
import { record, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import OpenAI from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { beforeAll, expect, test } from "vitest";
import { type Chats, calls, startChats } from "./support/dialects/start-chats.ts";
import { openUiChat } from "./support/dialects/ui-chat.ts";

const model = "muster/desk";
const messages = ["Hello", "Where is order 7?", "Where is order 8?", "Thank you"];

/** The replies of the model: with reasoning, after a call of the client's tool, a failure, and one after it. */
const steps = () => [
  { parts: [{ reasoning: "A greeting." }, { text: "Good morning." }] },
  calls("get-order", "call_1"),
  { parts: [{ text: "It was shipped." }] },
  { status: 400, error: { message: "No." } },
  { parts: [{ text: "You are welcome." }] },
];

/** A conversation as its client knows it. */
interface Talk {
  /** One for each message; null: the turn has failed. */
  texts: (string | null)[];
  reasoning: string;
  /** The client returns `shipped` for each. */
  calls: { name: string; input: unknown }[];
}

interface Adapter {
  name: string;
  talk(chats: Chats): Promise<Talk>;
}

const begun = (): Talk => ({ texts: [], reasoning: "", calls: [] });

const native: Adapter = {
  name: "the API",
  async talk({ client, agentId }) {
    const talk = begun();
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    for (const text of messages) {
      let reply: string | null = "";
      let body: object | undefined = { triggerName: "user-message", input: { TEXT: text } };
      while (body !== undefined) {
        const events = await client.trigger(String(sessionId), body);
        body = undefined;
        for (const event of events) {
          if (event.type === "text-delta") reply += String(event.delta);
          if (event.type === "reasoning-delta") talk.reasoning += String(event.delta);
          if (event.type === "error") reply = null;
          if (event.type !== "tool-request" || !Array.isArray(event.toolCalls)) continue;
          const asked = event.toolCalls.map(record);
          talk.calls.push(...asked.map(({ toolName, args }) => ({ name: String(toolName), input: args })));
          const toolResults = asked.map(({ toolCallId }) => ({ toolCallId, result: "shipped" }));
          body = { triggerName: "user-message", toolResults };
        }
      }
      talk.texts.push(reply);
    }
    return talk;
  },
};

function openai({ url, key }: Chats): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

const chatCompletions: Adapter = {
  name: "chat completions of openai",
  async talk(chats) {
    const { chat } = openai(chats);
    const talk = begun();
    const history: OpenAI.ChatCompletionMessageParam[] = [];
    const reply = async (): Promise<string> => {
      const stream = chat.completions.stream({ model, messages: history });
      stream.on("chunk", ({ choices }) => {
        const delta = choices[0]?.delta ?? {};
        if ("reasoning_content" in delta) talk.reasoning += String(delta.reasoning_content);
      });
      const message = await stream.finalMessage();
      history.push(message);
      const asked = message.tool_calls ?? [];
      for (const call of asked) {
        if (call.type !== "function") continue;
        talk.calls.push({ name: call.function.name, input: JSON.parse(call.function.arguments) });
        history.push({ role: "tool", tool_call_id: call.id, content: "shipped" });
      }
      return (message.content ?? "") + (asked.length > 0 ? await reply() : "");
    };
    for (const content of messages) {
      history.push({ role: "user", content });
      talk.texts.push(await reply().catch(() => null));
    }
    return talk;
  },
};

const responses: Adapter = {
  name: "responses of openai",
  async talk(chats) {
    const client = openai(chats);
    const talk = begun();
    let previous: string | undefined;
    const reply = async (input: ResponseInputItem[]): Promise<string | null> => {
      const after = previous === undefined ? {} : { previous_response_id: previous };
      const stream = client.responses.stream({ model, input, ...after });
      stream.on("response.created", ({ response }) => {
        previous = response.id;
      });
      stream.on("response.reasoning_summary_text.delta", ({ delta }) => {
        talk.reasoning += delta;
      });
      const { status, output, output_text } = await stream.finalResponse();
      if (status === "failed") return null;
      const outputs: ResponseInputItem[] = [];
      for (const item of output) {
        if (item.type !== "function_call") continue;
        talk.calls.push({ name: item.name, input: JSON.parse(item.arguments) });
        outputs.push({ type: "function_call_output", call_id: item.call_id, output: "shipped" });
      }
      return output_text + (outputs.length > 0 ? await reply(outputs) : "");
    };
    for (const content of messages) talk.texts.push(await reply([{ role: "user", content }]));
    return talk;
  },
};

const aiSdk: Adapter = {
  name: "AI SDK",
  async talk({ url, key }) {
    const talk = begun();
    const chat = openUiChat({
      ...{ url, key, id: "compared" },
      onToolCall: ({ toolCall: { toolName, toolCallId, input } }) => {
        talk.calls.push({ name: toolName, input });
        void chat.addToolOutput({ tool: toolName, toolCallId, output: "shipped" });
      },
    });
    for (const text of messages) {
      await chat.sendMessage({ text });
      // It sends the results of calls by itself.
      const isOver = () => chat.lastMessage?.parts.at(-1)?.type === "text";
      await until(
        "the turn has ended",
        () => chat.error !== undefined || (chat.status === "ready" && isOver()),
      );
      const parts = chat.lastMessage?.role === "assistant" ? chat.lastMessage.parts : [];
      for (const part of parts) if (part.type === "reasoning") talk.reasoning += part.text;
      const written = parts.flatMap((part) => (part.type === "text" ? part.text : [])).join("");
      talk.texts.push(chat.error === undefined ? written : null);
      chat.clearError();
    }
    return talk;
  },
};

const agUi: Adapter = {
  name: "HttpAgent of AG-UI",
  async talk({ url, key }) {
    const talk = begun();
    const headers = { authorization: `Bearer ${key}` };
    const agent = new HttpAgent({ url: `${url}/api/ag-ui/desk`, threadId: "compared-ag-ui", headers });
    const reply = async (): Promise<string | null> => {
      let hasFailed = false;
      const fail = () => {
        hasFailed = true;
      };
      const { newMessages } = await agent.runAgent({}, { onRunErrorEvent: () => fail() });
      let text = "";
      const asked: string[] = [];
      for (const message of newMessages) {
        if (message.role === "reasoning") talk.reasoning += message.content;
        if (message.role !== "assistant") continue;
        text += message.content ?? "";
        for (const { id, function: made } of message.toolCalls ?? []) {
          talk.calls.push({ name: made.name, input: JSON.parse(made.arguments) });
          asked.push(id);
        }
      }
      for (const id of asked)
        agent.addMessage({ id: `r-${id}`, role: "tool", toolCallId: id, content: "shipped" });
      if (hasFailed) return null;
      return asked.length > 0 ? text + (await reply()) : text;
    };
    for (const [index, content] of messages.entries()) {
      agent.addMessage({ id: `u-${index}`, role: "user", content });
      talk.texts.push(await reply());
    }
    return talk;
  },
};

const scope = suiteScope();
let chats: Chats;
beforeAll(async () => {
  chats = await startChats(scope);
});

test.each([native, chatCompletions, responses, aiSdk, agUi])(
  "$name has the same texts, reasoning, calls and failures of one conversation as all others",
  async ({ talk }) => {
    chats.provider.add(...steps());
    expect(await talk(chats)).toEqual({
      texts: ["Good morning.", "It was shipped.", null, "You are welcome."],
      reasoning: "A greeting.",
      calls: [{ name: "get-order", input: { number: "7" } }],
    } satisfies Talk);
    assert.equal(chats.provider.requests.length % steps().length, 0);
  },
);
