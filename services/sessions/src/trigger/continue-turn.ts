import { Reason } from "@muster/proto/errors";
import type { InteractiveProgram } from "@muster/protocol";
import { invalidRequest, rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import type { Frame, Input, Machine } from "../engine/boundary/machine.ts";
import { resumeTurn } from "../engine/machine/start-turn.ts";
import type { GivenResult } from "../input/tool-results.ts";
import type { ContinueCommand } from "../input/trigger-command.ts";
import { readConversation, readFrame, readInput, type SessionDocument } from "../store/session-document.ts";

/** The machine of a paused turn. Throws what is wrong with the command; the pause is left as it is. */
export function continueMachine(
  { newId, clock }: SessionsContext,
  session: SessionDocument,
  program: InteractiveProgram,
  command: ContinueCommand,
): Machine {
  const frame = pausedFrame(session, command);
  assertAnswers(frame, command.results);
  return resumeTurn(
    { program, conversation: readConversation(session), frame, sessionInput: readInput(session) },
    { newId, now: () => clock.now() },
  );
}

function pausedFrame({ execution }: SessionDocument, command: ContinueCommand): Frame {
  if (execution?.state !== "paused") throw unknownCall("The session does not wait for tool results.");
  const { executionId, triggerName } = command;
  if (executionId !== undefined && executionId !== execution.id) {
    throw unknownCall(`The execution ${executionId} does not wait for tool results.`);
  }
  const frame = readFrame(execution);
  if (triggerName !== undefined && triggerName !== frame.triggerName) {
    throw invalidRequest("triggerName", `must be ${frame.triggerName}, which waits for these results`);
  }
  return frame;
}

/** The machine's first input. */
export function outcomesOf(results: readonly GivenResult[]): Input {
  const outcomes = results.map(({ toolCallId, outcome }) => ({ toolCallId, outcome }));
  return { type: "tool-results", outcomes };
}

/** Throws unless every result is for a call that waits for it. */
export function assertAnswers({ pendingToolCalls }: Frame, results: readonly GivenResult[]): void {
  const pending = new Map(pendingToolCalls.map((call) => [call.toolCallId, call.toolName]));
  for (const [index, { toolCallId, toolName }] of results.entries()) {
    const expected = pending.get(toolCallId);
    if (expected === undefined) throw unknownCall(`No tool call ${toolCallId} waits for a result.`);
    if (toolName !== undefined && toolName !== expected) {
      throw invalidRequest(`toolResults.${index}.toolName`, `must be ${expected}, the tool of this call`);
    }
  }
}

export function unknownCall(message: string) {
  return rpcError(Reason.UNKNOWN_TOOL_CALL, message);
}
