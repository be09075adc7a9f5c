import { checkInput, isJsonObject, type JsonValue, type WorkerProgram } from "@muster/language";
import type { Frame, WorkerState } from "../boundary/frame.ts";
import type { FoundWorker } from "../boundary/machine.ts";
import type { Conversation, Memory, WorkerCall } from "../conversation/conversation.ts";
import { newConversation, type WorkerCallPart } from "../conversation/messages.ts";
import { announceWorkerCall } from "../shown/call-events.ts";
import { emit, type Origin, type Turn } from "../turn/turn.ts";
import { capacityProblem, findWorker, isFound, nestingProblem, type Obstacle } from "./library.ts";

/**
 * The reason why the call is not made; undefined if the worker runs. Its blocks run when the machine reaches it.
 * `args`: instead of those of the call, which are stored with it.
 */
export function beginWorker(
  parent: Turn,
  part: WorkerCallPart,
  thread: string,
  args: JsonValue = part.args,
): Obstacle | undefined {
  // Workers that are too deep were not even looked up.
  const nesting = nestingProblem(parent, part.toolName);
  if (nesting !== undefined) return { problem: nesting, retryable: false };
  const found = findWorker(parent, part.toolName);
  if (!isFound(found)) return found;
  const capacity = capacityProblem(parent);
  if (capacity !== undefined) return { problem: capacity, retryable: false };
  const checked = checkInput(found.program.input, isJsonObject(args) ? args : {});
  if (!checked.ok)
    return { problem: checked.issues.map(({ message }) => message).join(" "), retryable: false };
  addWorker({ parent, part, thread }, found, checked.values);
  return undefined;
}

function addWorker(origin: Origin, { program }: FoundWorker, input: Record<string, JsonValue>): void {
  const { parent, part, thread } = origin;
  const { tree } = parent;
  const root = tree.root.frame;
  const { messages: _, ...memory } = newConversation(program);
  const parentId = parent === tree.root ? undefined : parent.frame.workerId;
  const state = {
    frame: frameOf(parent.frame, part),
    ...(parentId !== undefined && { parentId }),
    ...{ thread, input, memory },
  };
  part.status = "running";
  root.startedWorkers = (root.startedWorkers ?? 0) + 1;
  root.workers = [...(root.workers ?? []), state];
  const turn = turnOfWorker(origin, state, program);
  tree.workers.set(part.worker.workerId, turn);
  tree.due.push(turn);
  const { workerId } = part.worker;
  const event = { type: "worker-start", workerId, workerSlug: part.toolName, input } as const;
  parent.effects.push({ type: "note", event });
  // The card of a block's call that needed approval has been shown before.
  if (part.source === "llm" || part.approval === undefined)
    announceWorkerCall(part, (event) => emit(parent, event, thread));
}

/** Users know its message by the id of the worker. */
function frameOf({ executionId }: Frame, { toolName, worker: { workerId } }: WorkerCallPart): Frame {
  return {
    executionId,
    triggerName: "",
    triggerInput: {},
    messageId: workerId,
    pendingToolCalls: [],
    workerId,
    workerSlug: toolName,
    usage: {},
    phase: "new",
    dynamicTools: [],
    blockIndex: 0,
    modelSteps: 0,
    itemCount: 0,
    retiredCallIds: [],
    worthSaving: false,
    finishReason: "stop",
  };
}

/** The turn of a worker that is running. Its state is that of the worker and of the call that began it. */
export function turnOfWorker(origin: Origin, state: WorkerState, program: WorkerProgram): Turn {
  const { parent, part } = origin;
  const { tree, environment } = parent;
  return {
    program,
    blocks: program.steps,
    conversation: conversationOf(state.memory, part.worker),
    firstMessage: 0,
    frame: state.frame,
    sessionInput: state.input,
    environment,
    hasReader: true,
    get effects() {
      return tree.effects;
    },
    tree,
    origin,
    isSilent: parent.isSilent || part.display !== "stream",
    answered: [],
  };
}

/**
 * The conversation of a worker: its memory with the messages of its call. Both are stored, the messages only with
 * the call.
 */
function conversationOf(memory: Memory, call: WorkerCall): Conversation {
  Object.defineProperty(memory, "messages", {
    configurable: true,
    get: () => call.messages,
    set: (messages: Conversation["messages"]) => {
      call.messages = messages;
    },
  });
  if (!isConversation(memory)) throw new Error("The memory of a worker has no messages.");
  return memory;
}

function isConversation(memory: Memory): memory is Conversation {
  return "messages" in memory;
}
