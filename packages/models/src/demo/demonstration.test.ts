import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, test } from "vitest";
import { planAnswer } from "./plan-answer.ts";

const tool = (name: string, property: string) => ({
  type: "function" as const,
  name,
  inputSchema: { type: "object" as const, properties: { [property]: { type: "string" as const } } },
});
const computer = [
  tool("shell__run_command", "command"),
  tool("files__read", "path"),
  tool("files__list", "path"),
];

/** Answers each call with `ok` until the model calls nothing more. */
function play(message: string, options: Partial<LanguageModelV4CallOptions> = {}) {
  const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: message }] }];
  const calls: Array<[string, Record<string, unknown>]> = [];
  for (let step = 0; step < 10; step++) {
    const { text, toolCalls } = planAnswer({ prompt, tools: computer, ...options });
    if (toolCalls.length === 0) return { calls, text, prompt };
    for (const { toolName, input } of toolCalls) calls.push([toolName, JSON.parse(input)]);
    prompt.push(
      {
        role: "assistant",
        content: toolCalls.map((call) => ({ type: "tool-call", ...call, input: JSON.parse(call.input) })),
      },
      {
        role: "tool",
        content: toolCalls.map(({ toolCallId, toolName }) => ({
          ...{ type: "tool-result", toolCallId, toolName },
          output: { type: "text", value: "ok" },
        })),
      },
    );
  }
  throw new Error("The demonstration does not end.");
}

describe("the demonstration of a computer", () => {
  test("demo/echo with a computer runs two commands, reads a file and reports", () => {
    const { calls, text } = play("Which of these hosts failed most?");
    assert.deepEqual(
      calls.map(([name]) => name),
      ["shell__run_command", "shell__run_command", "files__read"],
    );
    assert.match(text, /not a language model/);
    assert.match(text, /files__read returned: ok/);
  });

  test("a message that names a tool of the computer gets that tool and no demonstration", () => {
    const { calls } = play("please files list now");
    assert.deepEqual(
      calls.map(([name]) => name),
      ["files__list"],
    );
  });

  test("without the tools of a computer, or if tools are forbidden, there is no demonstration", () => {
    assert.deepEqual(play("hello", { tools: [tool("shell__run_command", "command")] }).calls, []);
    assert.deepEqual(play("hello", { toolChoice: { type: "none" } }).calls, []);
  });

  test("no message can leave its quotes: a shell writes exactly the message into the file", () => {
    const text = fc.string({
      unit: fc.constantFrom("'", "\\", "$", "`", '"', "\n", "a", " ", "!", "*", ";"),
    });
    fc.assert(
      fc.property(text, (message) => {
        fc.pre(message.trim() !== "");
        const [first] = play(message).calls;
        const line = String(first?.[1].command);
        const printf = line.slice(line.indexOf("printf"), line.lastIndexOf(" > task.txt"));
        const written = execFileSync("sh", ["-c", printf], { encoding: "utf8" });
        assert.equal(written, `${message.trim()}\n`);
      }),
      { numRuns: 40 },
    );
  });
});
