import {
  type AnswerEncoder,
  callsOf,
  chunksOf,
  type ScriptedToolCall,
  type ScriptedUsage,
} from "./script.ts";

const finishReasons = {
  stop: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
  pause: "STOP",
} as const;

/** Server-sent events of Google's streamGenerateContent. Calls have no pieces: each arrives complete, in one event. */
export function encodeGoogle(model: string, newCallId: () => string): AnswerEncoder {
  const event = (rest: object) => `data: ${JSON.stringify({ modelVersion: model, ...rest })}\n\n`;
  const content = (...parts: object[]) =>
    event({ candidates: [{ index: 0, content: { role: "model", parts } }] });
  const functionCall = (call: ScriptedToolCall, index: number): object => ({
    functionCall: { id: call.id ?? newCallId(), name: call.name, args: objectOf(call) },
    // Only the first of parallel calls has one.
    ...(index === 0 && { thoughtSignature: "c2lnbmF0dXJl" }),
  });

  return {
    start: () => [],
    part(part) {
      if ("text" in part) return chunksOf(part.text).map((text) => content({ text }));
      if ("reasoning" in part)
        return chunksOf(part.reasoning).map((text) => content({ text, thought: true }));
      if ("error" in part) {
        const { message, type = "INTERNAL" } = part.error;
        return [event({ error: { code: type === "UNAVAILABLE" ? 503 : 500, message, status: type } })];
      }
      return [content(...callsOf(part).map(functionCall))];
    },
    end: (finish, usage) => [
      event({
        candidates: [{ index: 0, finishReason: finishReasons[finish] }],
        usageMetadata: encodeUsage(usage),
      }),
    ],
  };
}

function objectOf({ arguments: given }: ScriptedToolCall): unknown {
  return typeof given === "string" ? JSON.parse(given) : given;
}

function encodeUsage(usage: ScriptedUsage) {
  const { inputTokens, outputTokens, cachedInputTokens = 0, reasoningTokens = 0 } = usage;
  return {
    promptTokenCount: inputTokens,
    cachedContentTokenCount: cachedInputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    thoughtsTokenCount: reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
  };
}
