import type { Block, JsonValue, Program } from "@muster/language";
import type { Frame, WorkerState } from "../boundary/frame.ts";
import type { Machine, MachineEnvironment, NewTurn, WorkerLibrary } from "../boundary/machine.ts";
import type { Conversation, PinnedWorker } from "../conversation/conversation.ts";
import { fenceOf, isOfWorker, settle, shownId } from "../conversation/messages.ts";
import { messagesOfTurn, type Origin, type Turn, turnTree } from "../turn/turn.ts";
import { turnOfWorker } from "../workers/begin-worker.ts";
import { findWorker, isFound } from "../workers/library.ts";
import { TurnMachine } from "./turn-machine.ts";

/** The state from which a stored turn continues. */
interface StoredTurn {
  /** The program version with which the turn began. */
  program: Program;
  conversation: Conversation;
  /** Stored with the conversation. */
  frame: Frame;
  /** Input variables of the session or worker. */
  sessionInput: Record<string, JsonValue>;
  /** With all workers that are running, in the versions with which they began. Absent: none. */
  workers?: WorkerLibrary;
}

/**
 * Creates the machine of a new turn; its first input is `start`. The machine takes over the conversation and changes
 * it in place, first closing everything that an earlier turn left open. Throws if the program does not have the
 * trigger, or is a worker and `workerSlug` is missing: callers check both first.
 */
export function beginTurn(turn: NewTurn, environment: MachineEnvironment): Machine {
  const { program, conversation, executionId, triggerName, triggerInput, sessionInput } = turn;
  settle(conversation, turn.finalLength);
  if (turn.run?.isForeign) conversation.isUntrusted = true;
  // A restored conversation has none, and may have foreign text.
  if (conversation.isUntrusted) conversation.fence ??= fenceOf(turn);
  const lastSeen = conversation.messages.findLast(({ audience }) => audience === "everyone");
  const frame: Frame = {
    executionId,
    triggerName,
    triggerInput,
    pendingToolCalls: [],
    phase: "new",
    ...(turn.sender && { sender: turn.sender }),
    ...(turn.run && { run: turn.run }),
    ...(program.format === "worker" && workerOf(turn, environment)),
    dynamicTools: turn.dynamicTools,
    messageId: environment.newId("msg"),
    ...(lastSeen && { lastMessageId: shownId(lastSeen) }),
    blockIndex: 0,
    modelSteps: 0,
    itemCount: 0,
    retiredCallIds: [],
    usage: {},
    worthSaving: turn.isStoredFirst ?? false,
    finishReason: "stop",
  };
  const { workers } = turn;
  pinWorkers(conversation, workers);
  const firstMessage = conversation.messages.length;
  return machine(program, conversation, frame, sessionInput, environment, firstMessage, workers);
}

/**
 * Creates the machine of a stored turn. If the turn paused, its first input is `tool-results`; if it was stored at a
 * `save`, it takes the parts of the model call that followed.
 */
export function continueTurn(turn: StoredTurn, environment: MachineEnvironment): Machine {
  const { program, conversation, frame, sessionInput, workers } = turn;
  const firstMessage = firstMessageOf(conversation, frame);
  return machine(program, conversation, frame, sessionInput, environment, firstMessage, workers);
}

/** A session keeps the versions of its workers, as it keeps that of its own agent. */
function pinWorkers(conversation: Conversation, library: WorkerLibrary = new Map()): void {
  const found = [...library].flatMap(([slug, worker]): Array<[string, PinnedWorker]> => {
    if (!("program" in worker)) return [];
    const { agentId, agentVersion } = worker;
    return [[slug, { agentId, agentVersion }]];
  });
  if (found.length > 0) conversation.workers = { ...conversation.workers, ...Object.fromEntries(found) };
}

/** Begins after what users saw before the turn; hidden messages of an earlier turn may be among the rest. */
function firstMessageOf({ messages }: Conversation, { lastMessageId }: Frame): number {
  if (lastMessageId === undefined) return 0;
  return messages.findLastIndex((message) => shownId(message) === lastMessageId) + 1;
}

function machine(
  program: Program,
  conversation: Conversation,
  frame: Frame,
  sessionInput: Record<string, JsonValue>,
  environment: MachineEnvironment,
  firstMessage: number,
  library: WorkerLibrary = new Map(),
): Machine {
  const turn = turnTree({
    ...{
      program,
      blocks: blocksOf(program, frame.triggerName),
      conversation,
      firstMessage,
      frame,
      sessionInput,
    },
    ...{ environment, library },
  });
  restoreWorkers(turn);
  return new TurnMachine(turn);
}

function workerOf({ workerSlug }: NewTurn, { newId }: MachineEnvironment) {
  if (workerSlug === undefined) throw new Error("A worker turn must have a slug.");
  return { workerId: newId("run"), workerSlug };
}

function blocksOf(program: Program, triggerName: string): readonly Block[] {
  if (program.format === "worker") return program.steps;
  const { handlers } = program;
  const blocks = Object.hasOwn(handlers, triggerName) ? handlers[triggerName] : undefined;
  if (blocks === undefined) throw new Error(`The program has no trigger ${JSON.stringify(triggerName)}.`);
  return blocks;
}

/** The turns of the workers in a stored frame. Throws if one cannot be continued. */
function restoreWorkers({ tree }: Turn): void {
  for (const worker of tree.root.frame.workers ?? []) {
    const { workerId = "", workerSlug = "" } = worker.frame;
    const found = findWorker(tree.root, workerSlug);
    const origin = originOf(tree.root, worker, workerId);
    if (origin === undefined || !isFound(found))
      throw new Error(`The worker ${workerId} cannot be continued.`);
    tree.workers.set(workerId, turnOfWorker(origin, worker, found.program));
  }
}

function originOf({ tree }: Turn, { parentId, thread }: WorkerState, workerId: string): Origin | undefined {
  const parent = parentId === undefined ? tree.root : tree.workers.get(parentId);
  if (parent === undefined) return undefined;
  const writer = parent.frame.open?.fold?.call;
  if (writer?.worker.workerId === workerId) return { parent, part: writer, thread };
  for (const { parts } of messagesOfTurn(parent)) {
    for (const part of parts) {
      if (part.type === "tool-call" && isOfWorker(part) && part.worker.workerId === workerId)
        return { parent, part, thread };
    }
  }
  return undefined;
}
