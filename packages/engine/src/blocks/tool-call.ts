import type { ToolCallBlock } from "@muster/language";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { announceArguments, announceCall, announceInputEnd, type Show } from "../shown/call-events.ts";
import { labelOf } from "../shown/display.ts";
import { lookOf } from "../tools/offered-tools.ts";
import { outputMessage, seenOn } from "../turn/output.ts";
import { writeVariable } from "../turn/scope.ts";
import { boundOn } from "../turn/threads.ts";
import { emit, type Turn } from "../turn/turn.ts";
import { closeWaitingBlock, openWaitingBlock } from "../turn/waiting-block.ts";
import { readArguments } from "./block-arguments.ts";

/** Makes the call. The turn's caller carries it out, so the turn pauses for its result. */
export function callTool(turn: Turn, block: ToolCallBlock): ToolCallPart {
  openWaitingBlock(turn, block);
  const part = composeCall(turn, block);
  outputMessage(turn, seenOn(block.thread)).parts.push(part);
  const show: Show = (event) => emit(turn, event, block.thread);
  announceCall(part, show);
  announceInputEnd(part, show);
  announceArguments(part, show);
  return part;
}

/** A failed or cancelled call leaves its variable without a value, which reads as NONE. */
export function receiveToolResult(turn: Turn, block: ToolCallBlock, part: ToolCallPart | undefined): void {
  writeVariable(turn, block.output, part?.result ?? null);
  closeWaitingBlock(turn);
}

function composeCall(turn: Turn, block: ToolCallBlock): ToolCallPart {
  const look = lookOf(turn, block.tool);
  const display = look.display === "hidden" ? "hidden" : block.display;
  const title = labelOf({
    display,
    title: block.title ?? look.title,
    description: block.description ?? look.description,
  });
  return {
    type: "tool-call",
    toolCallId: turn.environment.newId("call"),
    toolName: block.tool,
    ...(title !== undefined && { title }),
    display,
    source: "block",
    ...boundOn(turn, block.thread),
    args: readArguments(turn, block.input),
    status: "running",
  };
}
