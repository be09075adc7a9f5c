import type { ToolCallPart } from "../conversation/conversation.ts";
import { toolVisibility } from "./display.ts";
import type { InnerEvent } from "./events.ts";

/** Adds an event to the stream if users may see it. */
export type Show = (event: InnerEvent) => void;

export function announceCall(part: ToolCallPart, show: Show): void {
  if (!toolVisibility[part.display].name) return;
  const { toolCallId, toolName, title, display } = part;
  show({ type: "tool-input-start", toolCallId, toolName, ...(title !== undefined && { title }), display });
}

export function announceInputEnd({ display, toolCallId }: ToolCallPart, show: Show): void {
  if (toolVisibility[display].name) show({ type: "tool-input-end", toolCallId });
}

export function announceArguments({ display, toolCallId, toolName, args }: ToolCallPart, show: Show): void {
  if (toolVisibility[display].args) show({ type: "tool-input-available", toolCallId, toolName, input: args });
}

/** Users who do not see the result of a call still see that it has failed. */
export function failCall(part: ToolCallPart, error: string, show: Show): void {
  part.status = "error";
  part.error = error;
  const sees = toolVisibility[part.display];
  if (!sees.name) return;
  const shown = sees.resultLive ? error : "The call has failed.";
  show({ type: "tool-output-error", toolCallId: part.toolCallId, error: shown });
}

export function cancelCall(part: ToolCallPart, reason: string, show: Show): void {
  part.status = "cancelled";
  if (!toolVisibility[part.display].name) return;
  show({ type: "tool-output-error", toolCallId: part.toolCallId, error: reason, cancelled: true });
}

export function fulfilCall(part: ToolCallPart, result: ToolCallPart["args"], show: Show): void {
  part.status = "done";
  part.result = result;
  if (!toolVisibility[part.display].resultLive) return;
  show({ type: "tool-output-available", toolCallId: part.toolCallId, output: result });
}
