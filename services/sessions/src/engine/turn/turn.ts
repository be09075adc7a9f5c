import type { Block, JsonValue, Program } from "@muster/protocol";
import type { TurnFrame } from "../boundary/frame.ts";
import type { Effect, MachineEnvironment } from "../boundary/machine.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { labelOf } from "../shown/display.ts";
import type { InnerEvent, OuterEvent, Whereabouts } from "../shown/events.ts";
import type { ModelStep } from "../steps/model-step.ts";

/** What the parts of the engine work on: the state of one turn, and the effects of the input at hand. */
export interface Turn {
  readonly program: Program;
  readonly blocks: readonly Block[];
  readonly conversation: Conversation;
  readonly frame: TurnFrame;
  readonly sessionInput: Readonly<Record<string, JsonValue>>;
  readonly environment: MachineEnvironment;
  /** The model call in flight. */
  step?: ModelStep | undefined;
  /** A stream has begun, so that it has to be ended too. */
  hasReader: boolean;
  /** A block whose start is in the stream and whose end is not. */
  openBlock?: { id: string; thread: string } | undefined;
  effects: Effect[];
}

/** The thread that is meant where none is named. */
export const mainThread = "main";

export function emitOuter(turn: Turn, event: OuterEvent): void {
  turn.effects.push({ type: "emit", event });
}

/** Says where it happened too: on a named thread, inside a worker. */
export function emit(turn: Turn, event: InnerEvent, thread = mainThread): void {
  const where = whereabouts(turn, thread);
  turn.effects.push({ type: "emit", event: where === undefined ? event : { ...event, ...where } });
}

/** Undefined for what happens on the main thread of a session. */
export function whereabouts({ frame }: Turn, thread: string): Whereabouts | undefined {
  const { workerId } = frame;
  if (thread === mainThread && workerId === undefined) return undefined;
  return { ...(thread !== mainThread && { thread }), ...(workerId !== undefined && { workerId }) };
}

/** Numbers texts, reasonings and sources: unique in all streams of the execution. */
export function nextItemId(turn: Turn, kind: "txt" | "rsn" | "src"): string {
  turn.frame.itemCount += 1;
  return `${kind}_${turn.frame.itemCount}`;
}

/** The current time, ISO 8601. */
export function timestamp(turn: Turn): string {
  return new Date(turn.environment.now()).toISOString();
}

/**
 * Announces a block. Hidden blocks are announced too, with `display: hidden` and nothing inside, so that clients
 * can follow the progress of a turn; their words stay private.
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
  };
  emit(turn, event, block.thread);
  turn.openBlock = { id: blockId, thread: block.thread };
  return blockId;
}

export function closeBlock(turn: Turn): void {
  if (turn.openBlock === undefined) return;
  const { id, thread } = turn.openBlock;
  emit(turn, { type: "block-end", blockId: id }, thread);
  turn.openBlock = undefined;
}
