import assert from "node:assert/strict";
import type {
  JSONValue,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, test } from "vitest";
import {
  createModels,
  demoSummary,
  providerSettings,
  readModelsConfig,
  streamModel,
  type Thinking,
} from "../index.ts";
import { valuesFrom } from "./values.ts";

type Tool = Extract<NonNullable<LanguageModelV4CallOptions["tools"]>[number], { type: "function" }>;

const user = (text: string): LanguageModelV4Prompt[number] => ({
  role: "user",
  content: [{ type: "text", text }],
});
const tool = (name: string, properties: Record<string, object> = {}): Tool => ({
  type: "function",
  name,
  inputSchema: { type: "object", properties, required: Object.keys(properties) },
});

async function ask(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const resolved = await createModels(readModelsConfig({ DEMO_WORD_DELAY_MS: "0" })).resolve("demo/echo");
  assert.ok(resolved.ok);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of streamModel(resolved.model, options)) parts.push(part);
  return parts;
}

const textOf = (parts: LanguageModelV4StreamPart[]): string =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
const callsOf = (parts: LanguageModelV4StreamPart[]) =>
  parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolName, JSON.parse(part.input)]] : []));

describe("demo/echo", () => {
  test("demo/echo repeats the last user message literally and says that it is not a model", async () => {
    const prompt = [user("First"), { role: "assistant" as const, content: [] }, user("Tell me a story")];
    const parts = await ask({ prompt });
    assert.equal(textOf(parts), "[demo/echo, not a language model] You said: Tell me a story");
    assert.ok(parts.filter(({ type }) => type === "text-delta").length > 5);
    const finish = parts.at(-1);
    assert.ok(finish?.type === "finish" && (finish.usage.outputTokens.total ?? 0) > 5);
    assert.deepEqual(await ask({ prompt }), parts);
  });

  test("demo/echo names the files that it was sent, with their types and sizes", async () => {
    const data = { type: "data" as const, data: Buffer.from("12345").toString("base64") };
    const content = [
      { type: "text" as const, text: "Look:" },
      { type: "file" as const, mediaType: "application/pdf", filename: "report.pdf", data },
      { type: "text" as const, text: "File hours.txt (text/plain):\n\nNine to five." },
    ];
    const named = "[file report.pdf, application/pdf, 5 bytes]";
    assert.equal(
      textOf(await ask({ prompt: [{ role: "user", content }] })),
      `[demo/echo, not a language model] You said: Look: ${named} [file hours.txt, text/plain, 13 bytes]`,
    );
    const output = { type: "content" as const, value: content.slice(0, 2) };
    const result = { type: "tool-result" as const, toolCallId: "c1", toolName: "scan", output };
    const said = textOf(await ask({ prompt: [user("Scan"), { role: "tool", content: [result] }] }));
    assert.ok(said.includes(`The tool scan returned: Look: ${named}`), said);
  });

  for (const message of ["One. Two.", "Wait...", "Really?", "a.", "  padded.  "]) {
    test(`demo/echo repeats ${JSON.stringify(message)} to its last full stop`, async () => {
      const parts = await ask({ prompt: [user(message)] });
      assert.equal(textOf(parts), `[demo/echo, not a language model] You said: ${message.trim()}`);
    });
  }

  for (const message of [
    "Use get-order for 1042",
    "please GET ORDER 1042",
    "get_order 1042!",
    "getOrder: order 1042",
  ]) {
    test(`the message ${JSON.stringify(message)} makes demo/echo call get-order with the number`, async () => {
      const tools = [tool("get-order", { orderNumber: { type: "string" } }), tool("other")];
      const parts = await ask({ prompt: [user(message)], tools });
      assert.deepEqual(callsOf(parts), [["get-order", { orderNumber: "1042" }]]);
      const finish = parts.at(-1);
      assert.ok(finish?.type === "finish" && finish.finishReason.unified === "tool-calls");
    });
  }

  test("demo/echo calls several tools in the order of the message, and a longer name hides a shorter one", async () => {
    const tools = [tool("get-order"), tool("get-order-status"), tool("ping")];
    const parts = await ask({ prompt: [user("ping, then get order status")], tools });
    assert.deepEqual(
      callsOf(parts).map(([name]) => name),
      ["ping", "get-order-status"],
    );
  });

  test("demo/echo writes a summary that quotes the beginnings of the user's latest messages", async () => {
    const long = "x".repeat(200);
    const said = Array.from(
      { length: 12 },
      (_, index) => `## User\n\nQuestion ${index}\n\n## Assistant\n\nYes.`,
    );
    const prompt = [user(`# New messages\n\n${said.join("\n\n")}\n\n## User\n\n${long}`)];
    const text = textOf(await ask({ prompt, ...demoSummary }));
    assert.match(
      text,
      /^\[demo\/echo, not a language model\] A summary of 25 messages\. The user said: “Question 5”,/,
    );
    assert.ok(text.endsWith(`“Question 11”, “${"x".repeat(80)}…”.`));
    const empty = textOf(await ask({ prompt: [user("# New messages")], ...demoSummary }));
    assert.match(empty, /A summary of 0 messages\.$/);
  });

  test("demo/echo fills structured output from the results of its tools, by the names of the properties", async () => {
    const result = (toolName: string, value: JSONValue) =>
      ({ type: "tool-result", toolCallId: toolName, toolName, output: { type: "json", value } }) as const;
    const results = [
      result("get-order", {
        status: "shipped",
        parcels: [{ trackingNumber: "T-7", weight: 2.5 }],
        late: false,
      }),
      result("get-customer", { status: "active", customerName: "Ada" }),
    ];
    const prompt: LanguageModelV4Prompt = [
      user("Please use get-order for 1042"),
      { role: "tool", content: results },
    ];
    const properties = {
      status: { type: "string" },
      customer_name: { type: "string" },
      trackingNumber: { type: "string" },
      weight: { type: "number" },
      late: { type: "boolean" },
      priority: { enum: ["low", "high"] },
      remark: { type: "string" },
    };
    const schema = { type: "object", properties, required: ["status", "priority", "remark"] };
    const parts = await ask({
      ...{ prompt, tools: [tool("get-order")] },
      responseFormat: { type: "json", schema },
    } as LanguageModelV4CallOptions);
    assert.deepEqual(callsOf(parts), []);
    const { remark, ...filled } = JSON.parse(textOf(parts));
    assert.deepEqual(filled, {
      ...{ status: "shipped", customer_name: "Ada", trackingNumber: "T-7", weight: 2.5, late: false },
      priority: "low",
    });
    assert.match(remark, /^The tool get-order returned status shipped/);
  });

  test("demo/echo summarises tool results and failures, and never repeats a call id", async () => {
    const first = await ask({ prompt: [user("ping")], tools: [tool("ping")] });
    const call = first.find((part) => part.type === "tool-call");
    assert.ok(call);
    const prompt: LanguageModelV4Prompt = [
      user("ping"),
      { role: "assistant", content: [{ ...call, input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "1",
            toolName: "ping",
            output: { type: "json", value: { ms: 3, ok: true } },
          },
          {
            type: "tool-result",
            toolCallId: "2",
            toolName: "pong",
            output: { type: "error-text", value: "No route" },
          },
        ],
      },
    ];
    const answer = textOf(await ask({ prompt, tools: [tool("ping")] }));
    assert.match(answer, /ping returned ms 3, ok true\. The tool pong failed: No route\./);
    const again = await ask({ prompt: [...prompt, user("ping")], tools: [tool("ping")] });
    assert.notEqual(again.find((part) => part.type === "tool-call")?.toolCallId, call.toolCallId);
  });

  test("demo/echo respects the tool choice", async () => {
    const tools = [tool("ping"), tool("pong")];
    const ask1 = async (toolChoice: NonNullable<LanguageModelV4CallOptions["toolChoice"]>, text: string) =>
      callsOf(await ask({ prompt: [user(text)], tools, toolChoice })).map(([name]) => name);
    assert.deepEqual(await ask1({ type: "none" }, "ping"), []);
    assert.deepEqual(await ask1({ type: "required" }, "hello"), ["ping"]);
    assert.deepEqual(await ask1({ type: "tool", toolName: "pong" }, "ping"), ["pong"]);
  });

  test("demo/echo fills structured output from the message", async () => {
    const schema = {
      type: "object",
      properties: { mood: { enum: ["sad", "happy"] }, age: { type: "integer" }, name: { type: "string" } },
      required: ["mood", "age", "name"],
    } as const;
    const parts = await ask({
      prompt: [user('I am "Ada", 36 and happy')],
      responseFormat: { type: "json", schema },
    });
    assert.deepEqual(JSON.parse(textOf(parts)), { mood: "happy", age: 36, name: "Ada" });
  });

  test("demo/echo thinks before its reply if it is to think, and says what it does next", async () => {
    const thoughtOf = async (options: LanguageModelV4CallOptions) => {
      const parts = await ask(options);
      assert.ok(
        parts.findIndex(({ type }) => type === "reasoning-end") <
          parts.findIndex(({ type }) => type === "text-start"),
      );
      return parts.map((part) => (part.type === "reasoning-delta" ? part.delta : "")).join("");
    };
    const options = { prompt: [user("ping 3 times")] };
    const settings = (thinking: Thinking) => providerSettings("demo/echo", { thinking });
    assert.equal(await thoughtOf(options), "");
    assert.equal(await thoughtOf({ ...options, ...settings("off") }), "");
    for (const thinking of ["low", "max", "auto"] as const) {
      const text = await thoughtOf({ ...options, ...settings(thinking) });
      assert.equal(text, "[demo/echo, not a language model] The message names no tool. I repeat it.");
    }
    const thinking = { ...options, ...settings("high") };
    assert.match(await thoughtOf({ ...thinking, tools: [tool("ping")] }), /I call ping\.$/);
    assert.match(await thoughtOf({ ...thinking, responseFormat: { type: "json" } }), /An object is expected/);
    const finish = (await ask(thinking)).at(-1);
    assert.ok(finish?.type === "finish");
    const { total, text, reasoning } = finish.usage.outputTokens;
    assert.deepEqual([total, reasoning], [(text ?? 0) + 14, 14]);
  });

  test("demo/echo replies to any prompt, even without a user message", async () => {
    assert.match(textOf(await ask({ prompt: [] })), /has no user message/);
    assert.match(textOf(await ask({ prompt: [{ role: "system", content: "x" }] })), /has no user message/);
    const data = { type: "data" as const, data: new Uint8Array(3) };
    const file = { type: "file" as const, mediaType: "image/png", filename: "cat.png", data };
    assert.match(
      textOf(await ask({ prompt: [{ role: "user", content: [file] }] })),
      /\[file cat\.png, image\/png, 3 bytes\]/,
    );
  });

  test("demo/echo stops immediately when it is aborted", async () => {
    const resolved = await createModels(readModelsConfig({ DEMO_WORD_DELAY_MS: "10000" })).resolve(
      "demo/echo",
    );
    assert.ok(resolved.ok);
    const controller = new AbortController();
    const stream = streamModel(resolved.model, { prompt: [user("Hi")], abortSignal: controller.signal });
    const reading = (async () => {
      for await (const part of stream) if (part.type === "text-delta") controller.abort(new Error("Left"));
    })();
    await assert.rejects(reading, /Left/);
  });
});

describe("arguments invented by demo/echo", () => {
  test("invented arguments follow labels, defaults, optional properties and nesting", () => {
    const schema = {
      type: "object",
      properties: {
        subject: { type: "string" },
        priority: { type: "string", enum: ["low", "high"] },
        note: { type: "string" },
        size: { type: "number", default: 4 },
        items: {
          type: "array",
          items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        },
      },
      required: ["subject", "size", "items"],
    };
    assert.deepEqual(valuesFrom("subject: broken lamp, high please, item 12", schema), {
      subject: "broken lamp",
      priority: "high",
      size: 4,
      items: [{ id: 12 }],
    });
  });

  test("arguments for a schema that refers to itself are finite", () => {
    const schema = {
      $ref: "#/$defs/a",
      $defs: {
        a: {
          type: "object",
          properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/a" } },
          required: ["a", "b"],
        },
      },
    };
    assert.ok(JSON.stringify(valuesFrom("x", schema)).length < 100_000);
  });

  test("arguments for any JSON as a schema are JSON, and creating them never throws", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (message, schema) => {
        assert.doesNotThrow(() => JSON.stringify(valuesFrom(message, schema)));
      }),
    );
  });
});
