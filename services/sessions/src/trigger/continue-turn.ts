import type { InteractiveProgram } from "@muster/protocol";
import { invalidRequest } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { type Frame, parseFrame } from "../engine/boundary/frame.ts";
import type { Machine } from "../engine/boundary/machine.ts";
import { resumeTurn } from "../engine/machine/start-turn.ts";
import type { ContinueCommand } from "../input/trigger-command.ts";
import { assertAnswers, unknownCall } from "../launch/pending-results.ts";
import { readConversation, readInput, type SessionDocument } from "../store/session-document.ts";

/** The machine of a paused turn. Throws if the command does not match the pause, which stays unchanged. */
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
  if (execution?.state !== "paused") throw unknownCall("The session is not waiting for tool results.");
  const { executionId, triggerName } = command;
  if (executionId !== undefined && executionId !== execution.id) {
    throw unknownCall(`The execution ${executionId} is not waiting for tool results.`);
  }
  const frame = parseFrame(execution.frame);
  if (triggerName !== undefined && triggerName !== frame.triggerName) {
    throw invalidRequest(
      "triggerName",
      `must be ${frame.triggerName}, the trigger that is waiting for these results`,
    );
  }
  return frame;
}
