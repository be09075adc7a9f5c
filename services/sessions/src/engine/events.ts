import type { StreamErrorType } from "@muster/models";
import type { Display, JsonValue } from "@muster/protocol";

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
}

/**
 * Everything that a trigger stream can carry today. `thread` is given where a named thread is meant. Ids are
 * unique in the stream; every `-start` gets its `-end`, also on error and abort.
 */
export type StreamEvent =
  | { type: "start"; messageId: string; executionId: string; lastMessageId?: string }
  | { type: "finish"; finishReason: FinishReason; executionId?: string }
  | ErrorEvent
  | {
      type: "block-start";
      blockId: string;
      blockName: string;
      blockType: string;
      display: Display;
      description?: string;
      outputToChat?: boolean;
      thread?: string;
    }
  | { type: "block-end"; blockId: string; summary?: string }
  | { type: "step-start"; step: number }
  | { type: "step-discard"; step: number }
  | { type: "persisted"; messageId: string; sequence: number }
  | { type: "text-start"; id: string; responseType?: string; thread?: string }
  | { type: "text-delta"; id: string; delta: string; thread?: string }
  | { type: "text-end"; id: string; thread?: string }
  | { type: "reasoning-start"; id: string; thread?: string }
  | { type: "reasoning-delta"; id: string; delta: string; thread?: string }
  | { type: "reasoning-end"; id: string; thread?: string }
  | {
      type: "tool-input-start";
      toolCallId: string;
      toolName: string;
      title?: string;
      display?: Display;
      thread?: string;
    }
  | { type: "tool-input-delta"; toolCallId: string; inputTextDelta: string; thread?: string }
  | { type: "tool-input-end"; toolCallId: string; thread?: string }
  | { type: "tool-input-available"; toolCallId: string; toolName: string; input: JsonValue; thread?: string }
  | { type: "tool-output-available"; toolCallId: string; output: JsonValue; thread?: string }
  | { type: "tool-output-error"; toolCallId: string; error: string; thread?: string }
  | { type: "tool-request"; toolCalls: RequestedToolCall[] }
  | { type: "resource-update"; name: string; value: JsonValue }
  | {
      type: "source";
      sourceType: string;
      id: string;
      url?: string;
      title?: string;
      mediaType?: string;
      filename?: string;
    };

export interface ErrorEvent {
  type: "error";
  errorType: StreamErrorType;
  message: string;
  source: "platform" | "provider" | "tool" | "client";
  retryable: boolean;
  /** Seconds. */
  retryAfter?: number;
  code?: string;
  provider?: { name: string; model?: string; statusCode?: number; errorType?: string; requestId?: string };
  tool?: { name: string; callId?: string };
}
