import assert from "node:assert/strict";
import { record, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import OpenAI from "openai";
import type { ResponseInputItem, ResponseStreamEvent } from "openai/resources/responses/responses";
import { beforeAll, describe, test } from "vitest";
import { chatAgent } from "../support/dialects/chat-agent.ts";
import { startWorld, type World } from "../support/world.ts";

const model = "muster/chat";
const label = "[demo/echo, not a language model]";
const long = "word ".repeat(110);

describe("the responses of an agent", () => {
  const scope = suiteScope();
  let world: World;
  let openai: OpenAI;

  beforeAll(async () => {
    world = await startWorld(scope, { wordDelayMs: 1 });
    await world.client.json(201, "POST", "/api/agents", chatAgent);
    openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.adminKey, maxRetries: 0 });
  });

  async function textsOf(sessionId: unknown): Promise<string> {
    const { messages } = await world.client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
    return JSON.stringify(messages);
  }

  async function read(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    return events;
  }

  test("stream text and reasoning, and every reader gets the same events from any number on", async () => {
    const input = "Good morning";
    const stream = openai.responses.stream({ model, input });
    const events = await read(stream);
    const response = await stream.finalResponse();
    assert.equal(response.output_text, `${label} You said: ${input}`);
    assert.deepEqual(
      response.output.map(({ type }) => type),
      ["reasoning", "message"],
    );
    assert.ok((response.usage?.total_tokens ?? 0) > 0);
    const numbers = events.map(({ sequence_number }) => sequence_number);
    assert.deepEqual(numbers, [...numbers.keys()]);
    const raw = await read(await openai.responses.retrieve(response.id, { stream: true }));
    for (const after of [0, 5, numbers.length - 2]) {
      const rest = await openai.responses.retrieve(response.id, { stream: true, starting_after: after });
      assert.deepEqual(await read(rest), raw.slice(after + 1));
    }
    const last = raw.at(-1);
    assert.ok(last?.type === "response.completed");
    assert.deepEqual((await openai.responses.retrieve(response.id)).output, last.response.output);
  });

  test("continue their session, and one that is not the latest removes those after it", async () => {
    const first = await openai.responses.create({ model, input: "The first" });
    assert.equal(first.output_text, `${label} You said: The first`);
    const second = await openai.responses.create({
      ...{ input: "The second", previous_response_id: first.id, instructions: "Ignored" },
    });
    assert.deepEqual([second.metadata, second.model], [first.metadata, model]);
    const other = { model: "muster/other", input: "The third", previous_response_id: first.id };
    await assert.rejects(openai.responses.create(other), /model must name the agent of the previous/);
    const again = await openai.responses.create({ input: "The third", previous_response_id: first.id });
    const texts = await textsOf(again.metadata?.session_id);
    assert.deepEqual(
      ["The first", "The second", "The third", "Ignored"].map((text) => texts.includes(text)),
      [true, false, true, false],
    );
  });

  test("call functions of the client, and continue with their outputs, with or without the earlier items", async () => {
    const question: ResponseInputItem = {
      role: "user",
      content: "What does weather say, and stock about it?",
    };
    const tools = [
      { type: "function" as const, name: "stock", parameters: { type: "object" }, strict: false },
    ];
    const ask = () => openai.responses.stream({ model, input: [question], tools }).finalResponse();
    const answer = (input: ResponseInputItem[], previous_response_id?: string) =>
      openai.responses.create({ model, input, tools, ...(previous_response_id && { previous_response_id }) });
    for (const keeps of [true, false]) {
      const { id, output } = await ask();
      const earlier: ResponseInputItem[] = [question];
      const outputs: ResponseInputItem[] = [];
      for (const item of output) {
        if (item.type !== "function_call") continue;
        const { call_id, name, arguments: given } = item;
        earlier.push({ type: "function_call", call_id, name, arguments: given });
        outputs.push({ type: "function_call_output", call_id, output: "sunny" });
      }
      assert.equal(outputs.length, 2);
      const response = keeps ? await answer(outputs, id) : await answer([...earlier, ...outputs]);
      assert.equal(
        response.output_text,
        `${label} The tool weather returned: sunny. The tool stock returned: sunny.`,
      );
      assert.notEqual(response.id, id);
    }
  });

  test("ask for approvals, and continue once they are decided", async () => {
    for (const approve of [true, false]) {
      const asked = await openai.responses.create({ model, input: "Please refund it" });
      const request = asked.output.find((item) => item.type === "mcp_approval_request");
      assert.equal(request?.name, "refund");
      assert.deepEqual((await openai.responses.retrieve(asked.id)).output, asked.output);
      const answer = { type: "mcp_approval_response" as const, approval_request_id: request.id, approve };
      const stream = openai.responses.stream({ previous_response_id: asked.id, input: [answer] });
      const { output, output_text } = await stream.finalResponse();
      if (approve)
        assert.deepEqual(
          output.map((item) => "name" in item && item.name),
          ["refund"],
        );
      else assert.match(output_text, /refund/);
    }
  });

  test("refuse decisions about some of the approvals, and others than the first", async () => {
    const asked = await openai.responses.create({ model, input: "Please refund and rebook it" });
    const ids = asked.output.flatMap((item) => (item.type === "mcp_approval_request" ? item.id : []));
    assert.equal(ids.length, 2);
    const decide = (decided: readonly string[], approve: boolean) => {
      const type = "mcp_approval_response" as const;
      const input = decided.map((id) => ({ type, approval_request_id: id, approve }));
      return openai.responses.create({ previous_response_id: asked.id, input });
    };
    await assert.rejects(decide(ids.slice(0, 1), true), new RegExp(`must also decide ${ids[1]}`));
    const { output } = await decide(ids, true);
    assert.deepEqual(
      output.map((item) => "name" in item && item.name),
      ["refund", "rebook"],
    );
    assert.deepEqual((await decide(ids, true)).output, output);
    await assert.rejects(decide(ids, false), OpenAI.ConflictError);
  });

  test("run in the background, can be read meanwhile, and are cancelled by their id", async () => {
    const begun = await openai.responses.create({ model, input: long, background: true });
    assert.deepEqual([begun.status, begun.background], ["in_progress", true]);
    assert.equal((await openai.responses.retrieve(begun.id)).status, "in_progress");
    const cancelled = await openai.responses.cancel(begun.id);
    assert.equal(cancelled.status, "cancelled");
    assert.deepEqual(cancelled.output.map((item) => "status" in item && item.status).slice(-1), [
      "incomplete",
    ]);
    assert.equal((await openai.responses.retrieve(begun.id)).status, "cancelled");
    const short = await openai.responses.create({ model, input: "Hello", background: true });
    await until(
      "it is complete",
      async () => (await openai.responses.retrieve(short.id)).status === "completed",
    );
    assert.equal((await openai.responses.cancel(short.id)).status, "completed");
  });

  test("end their turn when the reader leaves, unless they run in the background", async () => {
    for (const background of [false, true]) {
      const stream = openai.responses.stream({ model, input: long, background });
      let id = "";
      for await (const event of stream) {
        if (event.type === "response.created") id = event.response.id;
        if (event.type === "response.output_text.delta") break;
      }
      stream.abort();
      await until("the turn has ended", async () => {
        const { status } = await openai.responses.retrieve(id);
        return status !== "in_progress" && status === (background ? "completed" : "cancelled");
      });
    }
  });

  test("refuse what cannot be respected by name, in the shape of the client", async () => {
    const picture = { type: "input_image", image_url: "https://example.com/a.png" };
    const withPicture = { type: "function_call_output", call_id: "call_1", output: [picture] };
    const refusals = [
      [{ model: "muster/none", input: "Hello" }, OpenAI.NotFoundError, null],
      [{ input: "Hello" }, OpenAI.BadRequestError, "model"],
      [
        { model: "gpt-5", input: "Hello", metadata: { session_id: "ses_1" } },
        OpenAI.BadRequestError,
        "model",
      ],
      [{ model, input: "Hello", conversation: "conv_1" }, OpenAI.BadRequestError, "conversation"],
      [{ input: "Hello", previous_response_id: "resp_none" }, OpenAI.NotFoundError, null],
      [
        { model, input: [{ type: "item_reference" as const, id: "x" }] },
        OpenAI.BadRequestError,
        "input.0.type",
      ],
      [{ model, input: [withPicture] }, OpenAI.BadRequestError, "input.0.output"],
    ] as const;
    for (const [body, kind, param] of refusals) {
      const error = await openai.responses.create({ ...record(body) }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      assert.ok(error instanceof kind, String(error));
      assert.equal(error.param, param);
    }
    const image = {
      type: "input_image" as const,
      image_url: "data:image/png;base64,AAAA",
      detail: "auto" as const,
    };
    const input = [{ role: "user" as const, content: [image] }];
    await assert.rejects(openai.responses.create({ model, input }), /upload the file/);
  });
});
