import type { StreamError } from "@muster/error-codes";
import type { Display, JsonValue } from "@muster/protocol";
import type { Todo } from "../conversation/conversation.ts";

export type FinishReason =
  | "stop"
  | "tool-calls"
  | "client-tool-calls"
  | "length"
  | "content-filter"
  | "error"
  | "other";

export interface RequestedToolCall {
  toolCallId: string;
  toolName: string;
  args: JsonValue;
  source?: "llm" | "block";
  thread?: string;
  workerId?: string;
}

/** All events of a stream. Ids are unique in the stream; every `-start` has its `-end`. */
export type StreamEvent = OuterEvent | InnerEvent;

/** Events about the whole stream, or about a worker as seen from outside. */
export type OuterEvent =
  | { type: "start"; messageId: string; executionId: string; lastMessageId?: string }
  | { type: "finish"; finishReason: FinishReason; executionId?: string }
  | StreamError
  | { type: "persisted"; messageId: string; sequence: number }
  | { type: "tool-request"; toolCalls: RequestedToolCall[] }
  | { type: "worker-start"; workerId: string; workerSlug: string; description?: string; input?: JsonValue }
  | { type: "worker-result"; workerId: string; output?: JsonValue; error?: string };

/** The place of an event in a turn: on a named thread, inside a worker. */
export interface Whereabouts {
  thread?: string;
  workerId?: string;
}

/** Events while blocks run. */
export type InnerEvent = HappeningEvent & Whereabouts;

type HappeningEvent =
  | {
      type: "block-start";
      blockId: string;
      blockName: string;
      blockType: string;
      display: Display;
      description?: string;
      outputToChat?: boolean;
    }
  | { type: "block-end"; blockId: string; summary?: string }
  | { type: "step-start"; step: number }
  | { type: "step-discard"; step: number }
  | { type: "text-start"; id: string; responseType?: string }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "text-end"; id: string }
  | { type: "reasoning-start"; id: string }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "reasoning-end"; id: string }
  | { type: "tool-input-start"; toolCallId: string; toolName: string; title?: string; display?: Display }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string }
  | { type: "tool-input-end"; toolCallId: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: JsonValue }
  | { type: "tool-output-available"; toolCallId: string; output: JsonValue }
  | { type: "tool-output-error"; toolCallId: string; error: string }
  | { type: "resource-update"; name: string; value: JsonValue }
  | { type: "todo-update"; todos: Todo[] }
  | {
      type: "source";
      sourceType: string;
      id: string;
      url?: string;
      title?: string;
      mediaType?: string;
      filename?: string;
    };
