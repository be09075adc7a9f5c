import assert from "node:assert/strict";
import { record, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import OpenAI from "openai";
import { beforeAll, describe, test } from "vitest";
import { chatAgent } from "../support/dialects/chat-agent.ts";
import { startWorld, type World } from "../support/world.ts";

const model = "muster/chat";
const label = "[demo/echo, not a language model]";

describe("the chat completions of an agent", () => {
  const scope = suiteScope();
  let world: World;
  let openai: OpenAI;

  beforeAll(async () => {
    world = await startWorld(scope, { wordDelayMs: 1 });
    await world.client.json(201, "POST", "/api/agents", chatAgent);
    openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.adminKey, maxRetries: 0 });
  });

  test("stream the text, the reasoning and the usage of a turn", async () => {
    const stream = await openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Good morning" }],
      stream: true,
      stream_options: { include_usage: true },
    });
    let [text, reasoning, ended, used] = ["", "", "", 0];
    for await (const { choices, usage } of stream) {
      for (const { delta, finish_reason } of choices) {
        text += delta.content ?? "";
        if ("reasoning_content" in delta) reasoning += delta.reasoning_content;
        ended += finish_reason ?? "";
      }
      used += usage?.total_tokens ?? 0;
    }
    assert.deepEqual([text, ended], [`${label} You said: Good morning`, "stop"]);
    assert.match(reasoning, /I repeat it/);
    assert.ok(used > 0);
  });

  test("continue the conversation that the client sends, and have a version of the agent", async () => {
    const { choices, object } = await openai.chat.completions.create({
      model: `${model}@1`,
      messages: [
        { role: "system", content: "Ignored" },
        { role: "user", content: "My name is Ada." },
        { role: "assistant", content: "Hello Ada." },
        { role: "user", content: [{ type: "text", text: "Who am I?" }] },
      ],
      temperature: 0,
    });
    assert.equal(object, "chat.completion");
    assert.equal(choices[0]?.message.content, `${label} You said: Who am I?`);
    const { sessions } = await world.client.json(200, "GET", "/api/agent-sessions?limit=1");
    const { sessionId } = record(Array.isArray(sessions) ? sessions[0] : undefined);
    const { messages } = await world.client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
    const texts = JSON.stringify(messages);
    for (const text of ["My name is Ada.", "Hello Ada.", "Who am I?"]) assert.ok(texts.includes(text), text);
    assert.ok(!texts.includes("Ignored"));
  });

  test("wait for the tools of the client and of the agent, and continue with their results", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "user", content: "What does weather say, and stock about it?" },
    ];
    const stock = { type: "function" as const, function: { name: "stock", parameters: { type: "object" } } };
    const asked = await openai.chat.completions.create({ model, messages, tools: [stock] });
    const [choice] = asked.choices;
    assert.equal(choice?.finish_reason, "tool_calls");
    const calls = choice.message.tool_calls ?? [];
    const names = calls.map((call) => call.type === "function" && call.function.name);
    assert.deepEqual(names, ["weather", "stock"]);
    messages.push(choice.message);
    for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: "sunny" });
    const stream = openai.chat.completions.stream({ model, messages, tools: [stock] });
    const text = await stream.finalContent();
    assert.equal(text, `${label} The tool weather returned: sunny. The tool stock returned: sunny.`);
    // The client has the whole conversation, so a new message needs nothing of the first session.
    messages.push({ role: "assistant", content: text }, { role: "user", content: "Thanks" });
    const last = await openai.chat.completions.create({ model, messages });
    assert.equal(last.choices[0]?.message.content, `${label} You said: Thanks`);
  });

  test("name the approvals that a turn waits for", async () => {
    const { choices } = await openai.chat.completions.create({
      model,
      messages: [{ role: "user", content: "Please refund it" }],
    });
    assert.ok(choices[0] && "approvals" in choices[0]);
    const [{ approvalId, toolName }] = Array.isArray(choices[0].approvals) ? choices[0].approvals : [{}];
    assert.equal(toolName, "refund");
    await world.client.json(200, "POST", `/api/approvals/${approvalId}`, { decision: "deny" });
  });

  test("accept a token for the agent, and one for a session, which it continues", async () => {
    const { id: agentId } = await world.client.json(200, "GET", "/api/agents/chat?by=slug");
    const created = await world.client.json(201, "POST", "/api/agent-sessions", { agentSlug: "chat" });
    const { sessionId } = created;
    for (const scope of [{ agentId }, { agentId, sessionId }]) {
      const { token } = await world.client.json(201, "POST", "/api/tokens", { ...scope, ttlSeconds: 60 });
      const limited = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: String(token), maxRetries: 0 });
      for (const content of ["The first", "The second"]) {
        const { choices } = await limited.chat.completions.create({
          model,
          messages: [{ role: "user", content }],
        });
        assert.equal(choices[0]?.message.content, `${label} You said: ${content}`);
      }
    }
    const { messages } = await world.client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
    assert.match(JSON.stringify(messages), /The first.*The second/);
  });

  test("end the turn when the client leaves", async () => {
    const created = await world.client.json(201, "POST", "/api/agent-sessions", { agentSlug: "chat" });
    const session = `/api/agent-sessions/${created.sessionId}`;
    const stream = openai.chat.completions.stream({
      model,
      messages: [{ role: "user", content: "word ".repeat(110) }],
      metadata: { session_id: String(created.sessionId) },
    });
    for await (const { choices } of stream) if (choices[0]?.delta.content) break;
    stream.abort();
    await until("the turn has ended", async () => {
      const { turn } = await world.client.json(200, "GET", `${session}?format=ui`);
      return turn === undefined;
    });
    const { messages } = await world.client.json(200, "GET", `${session}?format=ui`);
    assert.ok(JSON.stringify(messages).length < 1_500, JSON.stringify(messages));
  });

  test("refuse unknown agents and parameters by name, in the shape of the client", async () => {
    const messages = [{ role: "user" as const, content: "Hello" }];
    const refusals = [
      [{ model: "muster/none", messages }, OpenAI.NotFoundError, null],
      [{ model: "gpt-5", messages }, OpenAI.BadRequestError, "model"],
      [{ model, messages, n: 2 }, OpenAI.BadRequestError, "n"],
      [{ model, messages, logprobs: true }, OpenAI.BadRequestError, "logprobs"],
      [{ model: `${model}@9`, messages }, OpenAI.NotFoundError, null],
      [
        { model, messages: [{ role: "assistant" as const, content: "Hi" }] },
        OpenAI.BadRequestError,
        "messages",
      ],
    ] as const;
    for (const [body, kind, param] of refusals) {
      const error = await openai.chat.completions.create({ ...body, messages: [...body.messages] }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof kind, String(error));
      assert.equal(error.param, param);
    }
    const stranger = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
  });

  test("send files by their address, and list agents as models", async () => {
    const image = (url: string) => ({
      model,
      messages: [{ role: "user" as const, content: [{ type: "image_url" as const, image_url: { url } }] }],
    });
    const create = (url: string) => openai.chat.completions.create(image(url));
    await assert.rejects(create("data:image/png;base64,AAAA"), /upload the file/);
    await assert.rejects(create("https://127.0.0.1/a.png"), /public https address/);
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    assert.deepEqual(ids, [model]);
    assert.equal((await openai.models.retrieve(model)).id, model);
    await assert.rejects(openai.models.retrieve("muster/none"), OpenAI.NotFoundError);
  });
});
