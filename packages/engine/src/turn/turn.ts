import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Block, JsonValue, Program } from "@muster/language";
import type { EventOf } from "@muster/wire/events";
import type { Frame } from "../boundary/frame.ts";
import type { Effect, MachineEnvironment, WorkerLibrary } from "../boundary/machine.ts";
import type { Conversation, StoredMessage, ToolCallPart } from "../conversation/conversation.ts";
import { callIdsOf, mainThread, type WorkerCallPart } from "../conversation/messages.ts";
import { labelOf } from "../shown/display.ts";
import type { CardEvent, FinishReason, InnerEvent, StreamEvent, Whereabouts } from "../shown/events.ts";

/**
 * The state of one turn, shared by all parts of the engine, and the effects of the current input. A worker that a turn
 * runs is a turn of its own.
 */
export interface Turn {
  readonly program: Program;
  readonly blocks: readonly Block[];
  readonly conversation: Conversation;
  /** The index of the turn's first message. Earlier ones can be many, and the turn never changes them. */
  readonly firstMessage: number;
  readonly frame: Frame;
  readonly sessionInput: Readonly<Record<string, JsonValue>>;
  readonly environment: MachineEnvironment;
  /** The model call in flight. */
  step?: StepInFlight | undefined;
  /** A stream has begun and must be ended. */
  hasReader: boolean;
  /** A block whose start is in the stream but whose end is not yet. */
  openBlock?: { id: string; thread: string } | undefined;
  /** Estimated for the prompt in flight, if its thread's context is managed. */
  estimatedTokens?: number | undefined;
  /** Its instructions and tools alone take more than its limit. */
  isCrowded?: boolean;
  /** The same list for the turn and its workers. */
  readonly effects: Effect[];
  readonly tree: Tree;
  /** The call that a worker carries out. Absent: this is the turn itself. */
  readonly origin?: Origin;
  /** Users see nothing of its inside. */
  readonly isSilent: boolean;
  /** The calls that have just been decided. */
  decided?: readonly ToolCallPart[];
  /** The calls whose results have just arrived. */
  answered: readonly ToolCallPart[];
  /** The ids of all tool calls in the conversation; collected when the first one needs it. */
  callIds?: CallIds;
}

/** `unknown`: the conversation has a summary, and the messages before it are not always loaded. */
type CallIds = Set<string> | "unknown";

/** A turn and the workers that run for it, at any depth. */
interface Tree {
  readonly root: Turn;
  /** By `workerId`, callers before the called, each in the order of its start. */
  readonly workers: Map<string, Turn>;
  /** The turns that can continue now. */
  readonly due: Turn[];
  /** The model calls and remote calls that begin with the current input. */
  readonly calls: Array<Extract<Effect, { type: "call-model" | "call-remote" }>>;
  readonly library: WorkerLibrary;
  effects: Effect[];
  /** Nothing of the turn, or of its continuation, has been stored or sent. */
  mayRefuse: boolean;
}

/** The turn itself, without workers. */
export function turnTree({
  library,
  ...turn
}: Pick<
  Turn,
  "program" | "blocks" | "conversation" | "firstMessage" | "frame" | "sessionInput" | "environment"
> & { library: WorkerLibrary }): Turn {
  const root: Turn = {
    ...turn,
    hasReader: false,
    get effects() {
      return tree.effects;
    },
    get tree() {
      return tree;
    },
    isSilent: false,
    answered: [],
  };
  const tree: Tree = { root, workers: new Map(), due: [], calls: [], library, effects: [], mayRefuse: true };
  return root;
}

export interface Origin {
  readonly parent: Turn;
  readonly part: WorkerCallPart;
  /** The thread of the call, in the parent. */
  readonly thread: string;
}

/** The messages that this turn has added so far. */
export function messagesOfTurn({ conversation, firstMessage }: Turn): StoredMessage[] {
  return conversation.messages.slice(firstMessage);
}

/** A model call, from its first part to its end. */
export interface StepInFlight {
  readonly finishReason: FinishReason;
  readonly calls: { readonly parts: readonly ToolCallPart[] };
  /** True if the provider expects another call to finish what it has begun. */
  readonly isPaused: boolean;
  /** True if the model repeats itself endlessly, so that the step must be cut. */
  readonly isLooping: boolean;
  take(part: LanguageModelV4StreamPart): void;
  /** Closes everything that the model left open, because its stream has ended or will not continue. */
  close(): void;
  /** Closes the step in the middle; its calls are not made. */
  stop(): void;
  /** Retracts the whole step. True if any part of it had been streamed. */
  discard(): boolean;
}

export function emitOuter(turn: Turn, event: StreamEvent): void {
  turn.effects.push({ type: "emit", event });
}

/**
 * Adds the place of the event: the named thread, the worker. Parts that users cannot look into emit nothing; their
 * blocks are noted.
 */
export function emit(turn: Turn, event: InnerEvent | CardEvent, thread = mainThread): void {
  const where = whereabouts(turn, thread);
  if (turn.isSilent) {
    if (event.type === "block-start") turn.effects.push({ type: "note", event: { ...event, ...where } });
  } else if (where === undefined) emitOuter(turn, event);
  else emitOuter(turn, isOfCard(event) ? { ...event, ...placeOfCard(where) } : { ...event, ...where });
}

function isOfCard(event: InnerEvent | CardEvent): event is CardEvent {
  return event.type.startsWith("worker-");
}

/** The cards of a worker's own workers are on the thread of its card. */
function placeOfCard({ thread, workerId }: Whereabouts) {
  if (workerId !== undefined) return { parentWorkerId: workerId };
  return thread === undefined ? {} : { thread };
}

/** Undefined on the main thread of a session. */
export function whereabouts({ frame }: Turn, thread: string): Whereabouts | undefined {
  const { workerId } = frame;
  if (thread === mainThread && workerId === undefined) return undefined;
  return { ...(thread !== mainThread && { thread }), ...(workerId !== undefined && { workerId }) };
}

/** Numbers texts, reasonings and sources, uniquely in all streams of the execution. */
export function nextItemId({ tree }: Turn, kind: "txt" | "rsn" | "src"): string {
  const { frame } = tree.root;
  frame.itemCount += 1;
  return `${kind}_${frame.itemCount}`;
}

/** Undefined: the turn uses no ids of providers. */
export function usedCallIds(turn: Turn): Set<string> | undefined {
  const { frame, origin } = turn;
  if (origin !== undefined || frame.ownCallIds === true) return undefined;
  turn.callIds ??= collectedIds(turn);
  return turn.callIds === "unknown" ? undefined : turn.callIds;
}

/**
 * A summary was written or has gone. The ids are collected again when they are needed, so that the turn continues as it does on
 * an instance that has read its messages from the store.
 */
export function forgetCallIds(turn: Turn): void {
  delete turn.callIds;
}

/** The search for a summary begins at the end, so a long conversation that has one is not visited. */
function collectedIds({ frame, conversation: { messages } }: Turn): CallIds {
  if (messages.findLast(({ summary }) => summary !== undefined) !== undefined) return "unknown";
  return new Set([...frame.retiredCallIds, ...messages.flatMap(callIdsOf)]);
}

/** The current time, ISO 8601. */
export function timestamp(turn: Turn): string {
  return new Date(turn.environment.now()).toISOString();
}

export type BlockOutcome = Pick<EventOf<"block-end">, "status" | "message" | "messageId">;

/**
 * Announces a block. Hidden blocks are announced too, with `display: hidden` and no content, so that clients can
 * follow the progress of a turn; their text stays private.
 */
export function openBlock(turn: Turn, block: Block, outputToChat?: boolean): string {
  const blockId = turn.environment.newId("blk");
  const description = labelOf(block);
  const event: InnerEvent = {
    type: "block-start",
    blockId,
    blockName: block.name,
    blockType: block.kind,
    display: block.display,
    ...(description === undefined ? {} : { description }),
    ...(outputToChat === undefined ? {} : { outputToChat }),
    ...(block.kind === "next-message" && block.independent && { independent: true }),
  };
  emit(turn, event, block.thread);
  turn.openBlock = { id: blockId, thread: block.thread };
  return blockId;
}

/** `outcome`: absent if the block has ended as its author intended and added no message. */
export function closeBlock(turn: Turn, outcome: BlockOutcome = {}): void {
  if (turn.openBlock === undefined) return;
  const { id, thread } = turn.openBlock;
  emit(turn, { type: "block-end", blockId: id, ...outcome }, thread);
  turn.openBlock = undefined;
}

/**
 * Opens a block that waits for results without calling a model, for the first time or again after a pause. The frame has its
 * id, so that a process that continues the turn meanwhile can end the block in the stream.
 */
export function openWaitingBlock(turn: Turn, block: Block): void {
  const runId = openBlock(turn, block);
  turn.frame.open = { runId, operationId: runId, steps: 0, maxSteps: 0, onBackup: false };
}

export function closeWaitingBlock(turn: Turn): void {
  closeBlock(turn);
  delete turn.frame.open;
}
