import type { HandlerContext } from "@connectrpc/connect";
import type { Input, Machine } from "@muster/engine";
import type { SessionsContext } from "../../context.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import { filesIn, type GivenFile } from "../../input/file-values.ts";
import { filesOfResults } from "../../input/tool-results.ts";
import type { TriggerCommand } from "../../input/trigger-command.ts";
import type { Beginning, SessionDocument } from "../../store/session-document.ts";
import { outcomesOf } from "../begin/pending-results.ts";
import { createTurnEnvironment, type TurnEnvironment } from "../begin/turn-environment.ts";
import { beginMachine } from "./begin-machine.ts";
import { continueMachine, pausedFrame } from "./continue-machine.ts";
import { readingOf } from "./reading.ts";

/** The values that a turn begins with, besides its session and its command. */
export interface TurnBeginning {
  /** The id of a new execution. */
  executionId: string;
  beginning: Beginning;
}

/** A machine before its first input. */
export interface LoadedTurn {
  machine: Machine;
  input: Input;
  environment: TurnEnvironment;
  history: TurnHistory;
  /** The files that the command names. */
  files: GivenFile[];
}

/**
 * The same session, command and beginning make the same machine, and its first effects are the same. Throws if the
 * command does not match the session, which stays unchanged.
 */
export async function loadTurn(
  context: SessionsContext,
  session: SessionDocument,
  command: TriggerCommand,
  turn: TurnBeginning,
  call: HandlerContext,
): Promise<LoadedTurn> {
  const program = await context.programs.pinned(session, "interactive", call);
  const environment = createTurnEnvironment(context, turn.beginning);
  const { histories } = context;
  if (command.type === "continue") {
    const frame = await pausedFrame(session, command);
    const opened = await histories.open(session, readingOf(program, frame.triggerName));
    const machine = await continueMachine(context, session, opened, program, frame, environment, call);
    const files = filesOfResults(command.results);
    const input = outcomesOf(command.results);
    return { machine, input, environment, history: opened.history, files };
  }
  const opened = await histories.open(session, readingOf(program, command.triggerName));
  const reaching = { projectId: session.projectId, program, pinned: opened.conversation.workers };
  const workers = await context.workerLibraries.open(reaching, call);
  const machine = await beginMachine(session, opened, { program, workers }, command, turn, environment);
  const { opensSession = false } = turn.beginning;
  const input = { type: "start", ...(opensSession && { sessionId: session._id }) } as const;
  const specs = program.triggers[command.triggerName]?.input ?? {};
  const files = filesIn(specs, machine.frame.triggerInput, `${command.within ?? ""}input`);
  return { machine, input, environment, history: opened.history, files };
}
