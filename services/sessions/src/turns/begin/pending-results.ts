import type { Frame, Input } from "@muster/engine";
import { Reason } from "@muster/proto/errors";
import { invalidRequest, rpcError } from "@muster/rpc";
import type { GivenResult } from "../../input/tool-results.ts";

/** The machine's first input. */
export function outcomesOf(results: readonly GivenResult[]): Input {
  const outcomes = results.map(({ toolCallId, outcome }) => ({ toolCallId, outcome }));
  return { type: "tool-results", outcomes };
}

/** Throws unless every result belongs to a pending call. */
export function assertAnswers({ pendingToolCalls }: Frame, results: readonly GivenResult[]): void {
  const pending = new Map(pendingToolCalls.map((call) => [call.toolCallId, call.toolName]));
  for (const [index, { toolCallId, toolName }] of results.entries()) {
    const expected = pending.get(toolCallId);
    if (expected === undefined) throw unknownCall(`No pending tool call has the id ${toolCallId}.`);
    if (toolName !== undefined && toolName !== expected) {
      throw invalidRequest(`toolResults.${index}.toolName`, `must be ${expected}, the tool that was called`);
    }
  }
}

export function unknownCall(message: string) {
  return rpcError(Reason.UNKNOWN_TOOL_CALL, message);
}
