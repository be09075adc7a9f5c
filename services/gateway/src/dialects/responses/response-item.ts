import { callIdOf } from "../openai/call-id.ts";
import type { Part } from "../turn-output.ts";
import type { ResponsePlace } from "./response-id.ts";

/** An event about an item: its type, and its fields besides the place of the item. */
export type ItemEvent = readonly [type: string, fields: object];

/** A part of a turn as an item of its response. */
export interface ResponseItem {
  /** Before its text is written. */
  added: object;
  shown(status: string): object;
  begun: readonly ItemEvent[];
  continued(delta: string): readonly ItemEvent[];
  ended(): readonly ItemEvent[];
}

/** `name`: different for each item of each response. */
export function responseItem(part: Part, place: ResponsePlace, name: string): ResponseItem {
  switch (part.kind) {
    case "text": {
      const item = { id: `msg_${name}`, type: "message", role: "assistant" };
      const at = { item_id: item.id, content_index: 0, logprobs: [] };
      const content = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
      return {
        added: { ...item, status: "in_progress", content: [] },
        shown: (status) => ({ ...item, status, content: [content(part.text)] }),
        begun: [["content_part.added", { ...at, part: content("") }]],
        continued: (delta) => [["output_text.delta", { ...at, delta }]],
        ended: () => [
          ["output_text.done", { ...at, text: part.text }],
          ["content_part.done", { ...at, part: content(part.text) }],
        ],
      };
    }
    case "reasoning": {
      const item = { id: `rs_${name}`, type: "reasoning" };
      const at = { item_id: item.id, summary_index: 0 };
      const summary = (text: string) => ({ type: "summary_text", text });
      return {
        added: { ...item, status: "in_progress", summary: [] },
        shown: (status) => ({ ...item, status, summary: [summary(part.text)] }),
        begun: [["reasoning_summary_part.added", { ...at, part: summary("") }]],
        continued: (delta) => [["reasoning_summary_text.delta", { ...at, delta }]],
        ended: () => [
          ["reasoning_summary_text.done", { ...at, text: part.text }],
          ["reasoning_summary_part.done", { ...at, part: summary(part.text) }],
        ],
      };
    }
    case "call": {
      const item_id = `fc_${name}`;
      const call_id = callIdOf({ ...place, toolCallId: part.toolCallId });
      const called = { name: part.name, arguments: part.text };
      const item = { id: item_id, type: "function_call", call_id, ...called };
      return {
        added: { ...item, status: "in_progress", arguments: "" },
        shown: (status) => ({ ...item, status }),
        begun: [],
        continued: (delta) => [["function_call_arguments.delta", { item_id, delta }]],
        ended: () => [["function_call_arguments.done", { item_id, ...called }]],
      };
    }
    case "question": {
      const request = { type: "mcp_approval_request", server_label: "muster", name: part.name };
      const item = { id: part.approvalId, ...request, arguments: part.text };
      return { added: item, shown: () => item, begun: [], continued: () => [], ended: () => [] };
    }
  }
}
