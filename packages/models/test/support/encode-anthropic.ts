import { type AnswerEncoder, callsOf, chunksOf, piecesOf, type ScriptedToolCall } from "./script.ts";

const stopReasons = {
  stop: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
  pause: "pause_turn",
} as const;

/** Server-sent events of Anthropic's messages. */
export function encodeAnthropic(model: string, newCallId: () => string): AnswerEncoder {
  let nextBlock = 0;
  const event = (type: string, rest: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;

  const block = (content: object, deltas: object[]): string[] => {
    const index = nextBlock++;
    return [
      event("content_block_start", { index, content_block: content }),
      ...deltas.map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ];
  };
  const toolUse = (call: ScriptedToolCall): string[] =>
    block(
      { type: "tool_use", id: call.id ?? newCallId(), name: call.name, input: {} },
      piecesOf(call).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    );

  return {
    start: () => [
      event("message_start", {
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      event("ping"),
    ],
    part(part) {
      if ("text" in part) {
        const deltas = chunksOf(part.text).map((text) => ({ type: "text_delta", text }));
        return block({ type: "text", text: "" }, deltas);
      }
      if ("reasoning" in part) {
        const deltas = chunksOf(part.reasoning).map((thinking) => ({ type: "thinking_delta", thinking }));
        const signature = { type: "signature_delta", signature: "c2lnbmF0dXJl" };
        return block({ type: "thinking", thinking: "", signature: "" }, [...deltas, signature]);
      }
      if ("error" in part) return [event("error", { error: { type: "api_error", ...part.error } })];
      return callsOf(part).flatMap(toolUse);
    },
    end: (finish, usage) => [
      event("message_delta", {
        delta: { stop_reason: stopReasons[finish], stop_sequence: null },
        usage: {
          input_tokens: usage.inputTokens - (usage.cachedInputTokens ?? 0),
          cache_read_input_tokens: usage.cachedInputTokens ?? 0,
          output_tokens: usage.outputTokens,
        },
      }),
      event("message_stop"),
    ],
  };
}
