import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { type Answer, planAnswer } from "./plan-answer.ts";

/**
 * `demo/echo`: a deterministic substitute for a model, so that everything can be tried without a key. It echoes the
 * last user message literally. It calls a declared tool if the message names it, and summarises the tool's result. With
 * a computer, it demonstrates it: two commands and a file. Every reply says that it is not from a language model.
 * Structured output is filled from the message. With `thinking`, reasoning comes first.
 */
export function createEchoModel({ wordDelayMs }: { wordDelayMs: number }): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "demo",
    modelId: "echo",
    supportedUrls: {},
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      return { stream: ReadableStream.from(streamAnswer(options, wordDelayMs)) };
    },
    async doGenerate(options) {
      const answer = planAnswer(options);
      return {
        content: contentOf(answer),
        finishReason: finishOf(answer),
        usage: usageOf(options, answer),
        warnings: [],
      };
    },
  };
}

async function* streamAnswer(
  options: LanguageModelV4CallOptions,
  wordDelayMs: number,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const answer = planAnswer(options);
  yield { type: "stream-start", warnings: [] };
  yield { type: "response-metadata", modelId: "echo" };
  for (const [kind, text] of writingsOf(answer)) {
    yield { type: `${kind}-start`, id: kind };
    for (const delta of splitWords(text)) {
      yield { type: `${kind}-delta`, id: kind, delta };
      await pause(wordDelayMs, options.abortSignal);
    }
    yield { type: `${kind}-end`, id: kind };
  }
  for (const call of answer.toolCalls) yield* streamToolCall(call);
  yield { type: "finish", finishReason: finishOf(answer), usage: usageOf(options, answer) };
}

function writingsOf({ reasoning, text }: Answer): Array<["reasoning" | "text", string]> {
  return reasoning === undefined
    ? [["text", text]]
    : [
        ["reasoning", reasoning],
        ["text", text],
      ];
}

function* streamToolCall(call: Answer["toolCalls"][number]): Generator<LanguageModelV4StreamPart> {
  const { toolCallId: id, toolName, input } = call;
  yield { type: "tool-input-start", id, toolName };
  for (const delta of input.match(/.{1,24}/gs) ?? []) yield { type: "tool-input-delta", id, delta };
  yield { type: "tool-input-end", id };
  yield { type: "tool-call", ...call };
}

async function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  if (delayMs > 0) await sleep(delayMs, undefined, signal && { signal });
  signal?.throwIfAborted();
}

function contentOf({ reasoning, text, toolCalls }: Answer): LanguageModelV4Content[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning" as const, text: reasoning }]),
    { type: "text", text },
    ...toolCalls.map((call) => ({ type: "tool-call" as const, ...call })),
  ];
}

function finishOf({ toolCalls }: Answer): LanguageModelV4FinishReason {
  return toolCalls.length > 0
    ? { unified: "tool-calls", raw: "tool_calls" }
    : { unified: "stop", raw: "stop" };
}

/** Counts words and calls them tokens. */
function usageOf(options: LanguageModelV4CallOptions, answer: Answer): LanguageModelV4Usage {
  const input = options.prompt.reduce((sum, message) => sum + countWords(textOf(message)), 0);
  const reasoning = answer.reasoning === undefined ? undefined : countWords(answer.reasoning);
  const text =
    countWords(answer.text) + answer.toolCalls.reduce((sum, call) => sum + countWords(call.input), 0);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: text + (reasoning ?? 0), text, reasoning },
  };
}

/** The words of a message; files have none. */
function textOf({ content }: LanguageModelV4Message): string {
  if (typeof content === "string") return content;
  const texts = content.map((part) => {
    if (part.type === "text" || part.type === "reasoning") return part.text;
    if (part.type === "tool-call") return JSON.stringify(part.input) ?? "";
    return part.type === "tool-result" && "value" in part.output ? JSON.stringify(part.output.value) : "";
  });
  return texts.join(" ");
}

/** Every word keeps the white space after it, so that the joined parts equal the text. */
function splitWords(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
}
