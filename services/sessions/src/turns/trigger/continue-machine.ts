import type { HandlerContext } from "@connectrpc/connect";
import { continueTurn, type Frame, type Machine, type MachineEnvironment } from "@muster/engine";
import type { InteractiveProgram } from "@muster/language";
import { invalidRequest } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import type { OpenedConversation } from "../../conversations/history/opened-conversation.ts";
import type { ContinueCommand } from "../../input/trigger-command.ts";
import { loadFrame, loadInput } from "../../store/load-state.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { assertAnswers, unknownCall } from "../begin/pending-results.ts";
import { runningWorkers } from "../begin/running-workers.ts";

/** The machine of a paused turn. */
export async function continueMachine(
  context: SessionsContext,
  session: SessionDocument,
  { conversation }: OpenedConversation,
  program: InteractiveProgram,
  frame: Frame,
  environment: MachineEnvironment,
  call: HandlerContext,
): Promise<Machine> {
  const sessionInput = await loadInput(session);
  const workers = await runningWorkers(context, session.projectId, { program, conversation, frame }, call);
  return continueTurn({ program, conversation, frame, sessionInput, workers }, environment);
}

/** Throws if the command does not match the pause, which stays unchanged. */
export async function pausedFrame({ execution }: SessionDocument, command: ContinueCommand): Promise<Frame> {
  if (execution?.state !== "paused") throw unknownCall("The session is not waiting for tool results.");
  const { executionId, triggerName } = command;
  if (executionId !== undefined && executionId !== execution.id) {
    throw unknownCall(`The execution ${executionId} is not waiting for tool results.`);
  }
  const frame = await loadFrame(execution);
  if (triggerName !== undefined && triggerName !== frame.triggerName) {
    throw invalidRequest(
      "triggerName",
      `must be ${frame.triggerName}, the trigger that is waiting for these results`,
    );
  }
  assertAnswers(frame, command.results);
  return frame;
}
