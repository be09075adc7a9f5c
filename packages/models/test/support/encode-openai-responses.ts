import {
  type AnswerEncoder,
  callsOf,
  chunksOf,
  piecesOf,
  type ScriptedToolCall,
  type ScriptedUsage,
} from "./script.ts";

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

/** Server-sent events of OpenAI's responses. */
export function encodeOpenAiResponses(model: string, newCallId: () => string): AnswerEncoder {
  let sequence = 0;
  let nextItem = 0;
  const event = (type: string, rest: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...rest })}\n\n`;
  const response = (rest: object) => ({
    id: "resp_1",
    object: "response",
    created_at: 1_770_000_000,
    model,
    output: [],
    ...rest,
  });

  const message = (chunks: string[]): string[] => {
    const at = { output_index: nextItem++, item_id: `msg_${nextItem}` };
    const item = { type: "message", id: at.item_id, role: "assistant" };
    return [
      event("response.output_item.added", { ...at, item: { ...item, status: "in_progress", content: [] } }),
      ...chunks.map((delta) => event("response.output_text.delta", { ...at, content_index: 0, delta })),
      event("response.output_item.done", {
        ...at,
        item: {
          ...item,
          status: "completed",
          content: [{ type: "output_text", text: chunks.join(""), annotations: [] }],
        },
      }),
    ];
  };
  const reasoning = (chunks: string[]): string[] => {
    const at = { output_index: nextItem++, item_id: `rs_${nextItem}` };
    const item = { type: "reasoning", id: at.item_id };
    const summary = { ...at, summary_index: 0 };
    return [
      event("response.output_item.added", {
        ...at,
        item: { ...item, status: "in_progress", summary: [], encrypted_content: "" },
      }),
      event("response.reasoning_summary_part.added", {
        ...summary,
        part: { type: "summary_text", text: "" },
      }),
      ...chunks.map((delta) => event("response.reasoning_summary_text.delta", { ...summary, delta })),
      event("response.reasoning_summary_part.done", {
        ...summary,
        part: { type: "summary_text", text: chunks.join("") },
      }),
      event("response.output_item.done", {
        ...at,
        item: {
          ...item,
          status: "completed",
          summary: [{ type: "summary_text", text: chunks.join("") }],
          encrypted_content: "c2VjcmV0",
        },
      }),
    ];
  };
  const functionCall = (call: ScriptedToolCall): string[] => {
    const at = { output_index: nextItem++, item_id: `fc_${nextItem}` };
    const pieces = piecesOf(call);
    const item = { type: "function_call", id: at.item_id, call_id: call.id ?? newCallId(), name: call.name };
    return [
      event("response.output_item.added", { ...at, item: { ...item, status: "in_progress", arguments: "" } }),
      ...pieces.map((delta) => event("response.function_call_arguments.delta", { ...at, delta })),
      event("response.function_call_arguments.done", { ...at, arguments: pieces.join("") }),
      event("response.output_item.done", {
        ...at,
        item: { ...item, status: "completed", arguments: pieces.join("") },
      }),
    ];
  };

  return {
    start: () => [event("response.created", { response: response({ status: "in_progress" }) })],
    part(part) {
      if ("text" in part) return message(chunksOf(part.text));
      if ("reasoning" in part) return reasoning(chunksOf(part.reasoning));
      if ("error" in part) {
        const { message: said, type, code } = part.error;
        return [event("error", { code: code ?? type ?? "server_error", message: said, param: null })];
      }
      return callsOf(part).flatMap(functionCall);
    },
    end(finish, usage) {
      const reason = incompleteReasons[finish];
      const type = reason === undefined ? "response.completed" : "response.incomplete";
      const details = reason === undefined ? null : { reason };
      const body = { status: type.slice(9), incomplete_details: details, usage: encodeUsage(usage) };
      return [event(type, { response: response(body) })];
    },
  };
}

function encodeUsage(usage: ScriptedUsage) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: usage.cachedInputTokens ?? 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
