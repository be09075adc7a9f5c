import type { HandlerContext } from "@connectrpc/connect";
import {
  beginTurn,
  type Conversation,
  continueTurn,
  type Frame,
  type Input,
  type Machine,
  type MachineEnvironment,
  type RunSettings,
  threadsReadBy,
  type WorkerLibrary,
} from "@muster/engine";
import { type InteractiveProgram, messageTriggerName, messageTriggerOf } from "@muster/language";
import { turnAfter } from "@muster/large-data";
import { Reason } from "@muster/proto/errors";
import { invalidRequest, rpcError } from "@muster/rpc";
import type { Asker } from "../../agents/programs.ts";
import type { SessionsContext } from "../../context.ts";
import type { OpenedConversation, Reading } from "../../conversations/history/histories.ts";
import type { TurnHistory } from "../../conversations/history/turn-history.ts";
import { assertNewNames } from "../../input/dynamic-tools.ts";
import { filesOfResults } from "../../input/tool-results.ts";
import type { BeginCommand, ContinueCommand, TriggerCommand } from "../../input/trigger-command.ts";
import { checkedInput, filesIn, type GivenFile } from "../../input/values.ts";
import type { Beginning, SessionDocument } from "../../store/session-document.ts";
import { keepTextOf, loadFrame, loadInput } from "../../store/state-text.ts";
import { decisionsOf } from "../begin/decisions-of.ts";
import { assertAnswers, outcomesOf, runningWorkers, unknownCall } from "../begin/pending-results.ts";
import {
  createTurnEnvironment,
  type SettledEnvironment,
  type TurnEnvironment,
  withProjectSettings,
} from "../begin/turn-environment.ts";
import { eagerServers } from "../remote/remote-calls.ts";

/** The values that a turn begins with, besides its session and its command. */
export interface TurnBeginning {
  /** The id of a new execution. */
  executionId: string;
  beginning: Beginning;
}

/** A machine before its first input. */
interface LoadedTurn {
  machine: Machine;
  input: Input;
  environment: TurnEnvironment;
  history: TurnHistory;
  /** The files that the command names. */
  files: GivenFile[];
  /** See `BegunTurn`. */
  definedMaxUsd: number | undefined;
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
  call: HandlerContext | Asker,
): Promise<LoadedTurn> {
  const program = await context.programs.pinned(session, "interactive", call);
  const { projectId } = session;
  const offered = { projectId, program, dynamicTools: command.type === "start" ? command.dynamicTools : [] };
  const environment = await withProjectSettings(
    context,
    offered,
    createTurnEnvironment(context, turn.beginning),
  );
  const { histories } = context;
  // The conversation is loaded meanwhile.
  void environment.remote?.connect(eagerServers({ program, workers: new Map() }), signalOf(call));
  if (command.type === "continue") {
    const isDecided = session.execution?.state === "asking" && command.isDecided === true;
    const frame = withRules(await pausedFrame(session, command), command);
    const opened = await histories.open(session, readingOf(program, frame.triggerName));
    const machine = await continueMachine(context, session, opened, program, frame, environment, call);
    const files = filesOfResults(command.results);
    const input = isDecided ? await decisionsOf(context, session) : outcomesOf(command.results);
    const { maxUsd: definedMaxUsd } = program;
    return { machine, input, environment, history: opened.history, files, definedMaxUsd };
  }
  const given = command.triggerName === "" ? asMessage(program, command) : command;
  const opened = await histories.open(session, readingOf(program, given.triggerName));
  const reaching = { projectId, program, pinned: opened.conversation.workers };
  const hasWorkers = Object.keys(program.workers).length > 0;
  const workers: WorkerLibrary = hasWorkers ? await context.workerLibraries.open(reaching, call) : new Map();
  const { conversation } = opened;
  await environment.remote?.connect(eagerServers({ program, workers, conversation }), signalOf(call));
  const machine = await beginMachine(session, opened, { program, workers }, given, turn, environment);
  const { opensSession = false } = turn.beginning;
  const input = { type: "start", ...(opensSession && { sessionId: session._id }) } as const;
  const specs = program.triggers[given.triggerName]?.input ?? {};
  const files = filesIn(specs, machine.frame.triggerInput, `${given.within ?? ""}input`);
  const { maxUsd: definedMaxUsd } = program;
  return { machine, input, environment, history: opened.history, files, definedMaxUsd };
}

/** The command for the message trigger. Throws UNKNOWN_TRIGGER. */
function asMessage(program: InteractiveProgram, command: BeginCommand): BeginCommand {
  const trigger = messageTriggerOf(program);
  if (trigger === undefined) {
    const known = Object.keys(program.triggers).join(", ");
    const message = `The agent takes no messages: it needs a trigger ${messageTriggerName} with exactly one required text input. It has ${known}.`;
    throw rpcError(Reason.UNKNOWN_TRIGGER, message);
  }
  const { text, files } = command.input;
  const { name, input, fileInput } = trigger;
  if (files !== undefined && fileInput === undefined)
    throw invalidRequest("files", "must be absent: the agent takes no files");
  const values = {
    ...(text !== undefined && { [input]: text }),
    ...(files !== undefined && fileInput !== undefined && { [fileInput]: files }),
  };
  return { ...command, triggerName: name, input: values };
}

/** The machine of a new turn. Throws if the command does not match the session, which stays unchanged. */
async function beginMachine(
  session: SessionDocument,
  opened: OpenedConversation,
  { program, workers }: { program: InteractiveProgram; workers: WorkerLibrary },
  command: BeginCommand,
  { executionId, beginning }: { executionId: string; beginning: Beginning },
  environment: MachineEnvironment,
): Promise<Machine> {
  const trigger = own(program.triggers, command.triggerName);
  if (trigger === undefined) throw unknownTrigger(program, command.triggerName);
  // A session keeps its version of the agent, so a newer client may send what only later versions declare.
  const triggerInput = checkedInput(trigger.input, command.input, {
    undeclared: "drop",
    within: command.within,
  });
  keepTextOf(triggerInput, command.input);
  await turnAfter(command.bytes);
  if (command.dynamicTools.length > 0) assertNewNames(program, command.dynamicTools, command.within);
  assertDeclared(program, command.run);
  await rollBack(opened, command);
  const { conversation, finalLength } = opened;
  return beginTurn(
    {
      program,
      workers,
      conversation,
      finalLength,
      executionId,
      sessionInput: await loadInput(session),
      triggerName: command.triggerName,
      triggerInput,
      ...(command.sender === undefined ? {} : { sender: command.sender }),
      dynamicTools: command.dynamicTools,
      ...(command.run === undefined ? {} : { run: command.run }),
      // Otherwise the turn could not begin again.
      isStoredFirst: beginning.command === undefined || hasNewWorkers(conversation, workers),
    },
    environment,
  );
}

/**
 * A process that began the turn again could find another version of a worker, whose first events are not those that
 * were sent.
 */
function hasNewWorkers({ workers: pinned = {} }: Conversation, workers: WorkerLibrary): boolean {
  return [...workers].some(([slug, worker]) => "program" in worker && !Object.hasOwn(pinned, slug));
}

function assertDeclared({ capabilities: declared }: InteractiveProgram, run: RunSettings | undefined): void {
  const unknown = Object.keys(run?.capabilities ?? {}).filter((slug) => !Object.hasOwn(declared, slug));
  if (unknown.length === 0) return;
  const message = "is not a capability that the agent declares";
  const issues = unknown.map((slug) => ({ path: `run.capabilities.${slug}`, message }));
  throw rpcError(Reason.CAPABILITY_NOT_DECLARED, `The agent declares no capability ${unknown[0]}.`, {
    issues,
  });
}

/** The engine closes a pause that is skipped or a turn left by a dead holder. */
async function rollBack(
  opened: OpenedConversation,
  { rollbackAfterMessageId: keep }: BeginCommand,
): Promise<void> {
  if (keep === undefined || (await opened.rollBack(keep))) return;
  throw rpcError(Reason.UNKNOWN_MESSAGE, `The session has no message ${keep}; nothing was removed.`);
}

function unknownTrigger(program: InteractiveProgram, name: string) {
  const known = Object.keys(program.triggers).join(", ");
  return rpcError(
    Reason.UNKNOWN_TRIGGER,
    `The agent has no trigger ${JSON.stringify(name)}; it has ${known}.`,
  );
}

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Rules that have become stricter during the pause apply. */
function withRules(frame: Frame, { run }: ContinueCommand): Frame {
  if (frame.run === undefined || run === undefined) return frame;
  const { approvals: _, ...before } = frame.run;
  return { ...frame, run: { ...before, ...(run.approvals && { approvals: run.approvals }) } };
}

/** The machine of a paused turn. */
export async function continueMachine(
  context: SessionsContext,
  session: SessionDocument,
  { conversation }: OpenedConversation,
  program: InteractiveProgram,
  frame: Frame,
  environment: SettledEnvironment,
  call: HandlerContext | Asker,
): Promise<Machine> {
  const sessionInput = await loadInput(session);
  const turn = { program, conversation, frame };
  const workers = await runningWorkers(context, session.projectId, turn, call);
  await environment.remote?.connect(eagerServers({ ...turn, workers }), signalOf(call));
  return continueTurn({ program, conversation, frame, sessionInput, workers }, environment);
}

/** Throws if the command does not match the pause, which stays unchanged. */
async function pausedFrame({ execution }: SessionDocument, command: ContinueCommand): Promise<Frame> {
  if (execution?.state === "asking") {
    if (command.isDecided) return loadFrame(execution);
    throw unknownCall("The session is waiting for a user's decision, and then continues by itself.");
  }
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

function signalOf(call: HandlerContext | Asker): AbortSignal | undefined {
  return "signal" in call ? call.signal : undefined;
}

/** The parts of their conversation that turns of this trigger read. A trigger that does not exist reads nothing. */
export function readingOf({ handlers }: InteractiveProgram, triggerName: string): Reading {
  const blocks = Object.hasOwn(handlers, triggerName) ? handlers[triggerName] : undefined;
  return { turn: threadsReadBy(blocks ?? []), turns: threadsReadBy(Object.values(handlers).flat()) };
}
