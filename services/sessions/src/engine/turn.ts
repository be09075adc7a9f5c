import type { Block, Display, InteractiveProgram, JsonValue } from "@muster/protocol";
import type { Conversation } from "./conversation.ts";
import { labelOf } from "./display.ts";
import type { StreamEvent } from "./events.ts";
import type { TurnFrame } from "./frame.ts";
import type { Effect, MachineEnvironment } from "./machine.ts";
import type { ModelStep } from "./model/model-step.ts";

/** What the parts of the engine work on: the state of one turn, and the effects of the input at hand. */
export interface Turn {
  readonly program: InteractiveProgram;
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
  openBlockId?: string | undefined;
  effects: Effect[];
}

export function emit(turn: Turn, event: StreamEvent): void {
  turn.effects.push({ type: "emit", event });
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
  emit(turn, {
    type: "block-start",
    blockId,
    blockName: block.name,
    blockType: block.kind,
    display: block.display,
    ...(description === undefined ? {} : { description }),
    ...(outputToChat === undefined ? {} : { outputToChat }),
  });
  turn.openBlockId = blockId;
  return blockId;
}

export function closeBlock(turn: Turn): void {
  if (turn.openBlockId === undefined) return;
  emit(turn, { type: "block-end", blockId: turn.openBlockId });
  turn.openBlockId = undefined;
}

/** What an operation part calls its block. */
export function operationName(block: {
  name: string;
  display: Display;
  title?: string;
  description?: string;
}) {
  return labelOf(block) ?? block.name;
}
