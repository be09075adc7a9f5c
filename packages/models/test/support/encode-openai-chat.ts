import {
  type AnswerEncoder,
  callsOf,
  chunksOf,
  piecesOf,
  type ScriptedToolCall,
  type ScriptedUsage,
} from "./script.ts";

const finishReasons = {
  stop: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  pause: "stop",
} as const;

/** Server-sent events of OpenAI's chat completions. */
export function encodeOpenAiChat(model: string, newCallId: () => string): AnswerEncoder {
  let nextCallIndex = 0;
  const event = (rest: object) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_770_000_000, model, ...rest })}\n\n`;
  const chunk = (delta: object, finishReason: string | null = null) =>
    event({ choices: [{ index: 0, delta, finish_reason: finishReason }] });

  const toolCalls = (calls: ScriptedToolCall[]): string[] => {
    const first = nextCallIndex;
    nextCallIndex += calls.length;
    const starts = calls.map((call, i) =>
      chunk({
        tool_calls: [
          {
            index: first + i,
            id: call.id ?? newCallId(),
            type: "function",
            function: { name: call.name, arguments: "" },
          },
        ],
      }),
    );
    const pieces = interleave(calls.map(piecesOf)).map(({ index, piece }) =>
      chunk({ tool_calls: [{ index: first + index, function: { arguments: piece } }] }),
    );
    return [...starts, ...pieces];
  };

  return {
    start: () => [chunk({ role: "assistant", content: "" })],
    part(part) {
      if ("text" in part) return chunksOf(part.text).map((content) => chunk({ content }));
      // OpenRouter reads `reasoning`, most others `reasoning_content`.
      if ("reasoning" in part)
        return chunksOf(part.reasoning).map((text) => chunk({ reasoning_content: text, reasoning: text }));
      if ("error" in part) return [`data: ${JSON.stringify({ error: { param: null, ...part.error } })}\n\n`];
      return toolCalls(callsOf(part));
    },
    end: (finish, usage) => [
      chunk({}, finishReasons[finish]),
      event({ choices: [], usage: encodeUsage(usage) }),
      "data: [DONE]\n\n",
    ],
  };
}

function encodeUsage(usage: ScriptedUsage) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  };
}

function interleave(lists: string[][]): Array<{ index: number; piece: string }> {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    lists.flatMap((list, index) => {
      const piece = list[round];
      return piece === undefined ? [] : [{ index, piece }];
    }),
  ).flat();
}
