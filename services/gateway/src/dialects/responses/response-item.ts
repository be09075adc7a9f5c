import { callIdOf } from "../openai/call-id.ts";
import type { Part } from "../turn-output.ts";
import type { ResponsePlace } from "./response-id.ts";

/** An event about the text of an item: its type, and its fields besides the place of the item. */
type TextEvent = readonly [type: string, fields: object];

/** A part of a turn as an item of its response. */
export interface ResponseItem {
  id: string;
  /** The item. No text: before it is written. */
  shown(status: string, text?: string): object;
  begun: readonly TextEvent[];
  continued(delta: string): readonly TextEvent[];
  ended(text: string): readonly TextEvent[];
}

/** `name`: different for each item of each response. */
export function responseItem(part: Part, place: ResponsePlace, name: string): ResponseItem {
  switch (part.kind) {
    case "text": {
      const id = `msg_${name}`;
      const at = { content_index: 0, logprobs: [] };
      const content = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });
      const contents = (text?: string) => (text === undefined ? [] : [content(text)]);
      return {
        id,
        shown: (status, text) => ({
          ...{ id, type: "message", role: "assistant", status },
          content: contents(text),
        }),
        begun: [["content_part.added", { ...at, part: content("") }]],
        continued: (delta) => [["output_text.delta", { ...at, delta }]],
        ended: (text) => [
          ["output_text.done", { ...at, text }],
          ["content_part.done", { ...at, part: content(text) }],
        ],
      };
    }
    case "reasoning": {
      const id = `rs_${name}`;
      const at = { summary_index: 0 };
      const summary = (text: string) => ({ type: "summary_text", text });
      const summaries = (text?: string) => (text === undefined ? [] : [summary(text)]);
      return {
        id,
        shown: (status, text) => ({ id, type: "reasoning", status, summary: summaries(text) }),
        begun: [["reasoning_summary_part.added", { ...at, part: summary("") }]],
        continued: (delta) => [["reasoning_summary_text.delta", { ...at, delta }]],
        ended: (text) => [
          ["reasoning_summary_text.done", { ...at, text }],
          ["reasoning_summary_part.done", { ...at, part: summary(text) }],
        ],
      };
    }
    case "call": {
      const id = `fc_${name}`;
      const called = (text: string) => ({ name: part.name, arguments: text });
      const call_id = callIdOf({ ...place, toolCallId: part.toolCallId });
      return {
        id,
        shown: (status, text = "") => ({ id, type: "function_call", status, call_id, ...called(text) }),
        begun: [],
        continued: (delta) => [["function_call_arguments.delta", { delta }]],
        ended: (text) => [["function_call_arguments.done", called(text)]],
      };
    }
    case "question": {
      const request = { type: "mcp_approval_request", server_label: "muster", name: part.name };
      const item = { id: part.approvalId, ...request, arguments: part.text };
      return { id: item.id, shown: () => item, begun: [], continued: () => [], ended: () => [] };
    }
  }
}
