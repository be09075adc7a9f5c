import { type Block, type NextMessageBlock, PromptTooLargeError } from "@muster/protocol";
import { addMessage } from "./blocks/add-message.ts";
import {
  beginNextMessage,
  continueNextMessage,
  endStep,
  readership,
  retryOnBackup,
  type StepOutcome,
} from "./blocks/next-message.ts";
import { setResource } from "./blocks/set-resource.ts";
import { callTool, receiveToolResult } from "./blocks/tool-call.ts";
import { modelFailureEvent, problemEvent, promptTooLargeEvent } from "./failure-event.ts";
import type { Phase } from "./frame.ts";
import type { Effect, Input, Machine, ToolOutcome } from "./machine.ts";
import { ModelStep } from "./model/model-step.ts";
import { applyOutcomes } from "./tool-results.ts";
import { outputMessage } from "./transcript.ts";
import { emit, type Turn } from "./turn.ts";
import { abort, fail, finish, pause } from "./turn-end.ts";

/**
 * Which inputs a turn takes in which phase. One that is over ignores what the driver had under way when it
 * ended; anything else out of place is a mistake of the driver's.
 */
const accepted: Readonly<Record<Phase, ReadonlySet<Input["type"]>>> = {
  new: new Set(["start", "abort"]),
  model: new Set(["model-part", "model-done", "model-failed", "abort"]),
  waiting: new Set(["tool-results", "abort"]),
  over: new Set(["model-part", "model-done", "model-failed", "abort"]),
};

/** Runs the blocks of a handler. See `Machine`. */
export class TurnMachine implements Machine {
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
    if (turn.frame.phase === "model") resumeStep(turn);
  }

  get conversation() {
    return this.#turn.conversation;
  }

  get frame() {
    return this.#turn.frame;
  }

  advance(input: Input): Effect[] {
    const turn = this.#turn;
    const { phase } = turn.frame;
    if (!accepted[phase].has(input.type)) throw new Error(`A turn that is ${phase} takes no ${input.type}.`);
    const effects: Effect[] = [];
    turn.effects = effects;
    if (phase === "model") takeInStep(turn, input);
    else if (phase !== "over") take(turn, input);
    return effects;
  }
}

/** Values of the turn's own making can be too much for a prompt; what was written before is kept. */
function takeInStep(turn: Turn, input: Input): void {
  try {
    take(turn, input);
  } catch (error) {
    if (!(error instanceof PromptTooLargeError)) throw error;
    fail(turn, promptTooLargeEvent);
  }
}

function take(turn: Turn, input: Input): void {
  switch (input.type) {
    case "model-part":
      turn.step?.take(input.part);
      break;
    case "start":
      announce(turn);
      run(turn);
      break;
    case "tool-results":
      goOn(turn, input.outcomes);
      break;
    case "model-done":
      inNextMessage(turn, (block) => settleOutcome(turn, endStep(turn, block)));
      break;
    case "model-failed":
      inNextMessage(turn, (block) => {
        if (!retryOnBackup(turn, block, input.failure)) fail(turn, modelFailureEvent(input.failure));
      });
      break;
    case "abort":
      abort(turn);
      break;
    default:
      input satisfies never;
  }
}

function announce(turn: Turn): void {
  const { messageId, executionId, lastMessageId } = turn.frame;
  emit(turn, {
    type: "start",
    messageId,
    executionId,
    ...(lastMessageId !== undefined && { lastMessageId }),
  });
  turn.hasReader = true;
}

/** A continued turn: the outcomes first, then whatever waited for them. */
function goOn(turn: Turn, outcomes: readonly ToolOutcome[]): void {
  announce(turn);
  const parts = applyOutcomes(turn, outcomes);
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") {
    settleOutcome(turn, continueNextMessage(turn, block));
    return;
  }
  if (block?.kind === "tool-call") receiveToolResult(turn, block, parts[0]);
  turn.frame.blockIndex += 1;
  run(turn);
}

/** Runs blocks until one has to wait or the last is done. */
function run(turn: Turn): void {
  const { blocks, frame } = turn;
  while (frame.blockIndex < blocks.length) {
    const block = blocks[frame.blockIndex];
    if (block === undefined || !runBlock(turn, block)) return;
    frame.blockIndex += 1;
  }
  finish(turn);
}

/** False: the turn waits, or it is over. */
function runBlock(turn: Turn, block: Block): boolean {
  if (block.thread !== "main") return refuse(turn, block);
  switch (block.kind) {
    case "add-message":
      addMessage(turn, block);
      return true;
    case "set-resource":
      setResource(turn, block);
      return true;
    case "tool-call":
      pause(turn, [callTool(turn, block)]);
      return false;
    case "next-message":
      return isDone(turn, beginNextMessage(turn, block));
    case "start-thread":
      return refuse(turn, block);
    default:
      return block satisfies never;
  }
}

function refuse(turn: Turn, { name }: Block): false {
  fail(
    turn,
    problemEvent(
      "protocol_error",
      `Block ${JSON.stringify(name)} uses a thread; sessions have the main thread only.`,
    ),
  );
  return false;
}

function settleOutcome(turn: Turn, outcome: StepOutcome): void {
  if (!isDone(turn, outcome)) return;
  turn.frame.blockIndex += 1;
  run(turn);
}

function isDone(turn: Turn, outcome: StepOutcome): boolean {
  switch (outcome.type) {
    case "done":
      return true;
    case "called":
      return false;
    case "pause":
      pause(turn, outcome.calls);
      return false;
    case "problem":
      fail(turn, problemEvent(outcome.errorType, outcome.problem));
      return false;
    default:
      return outcome satisfies never;
  }
}

function inNextMessage(turn: Turn, act: (block: NextMessageBlock) => void): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") act(block);
}

/** The stored state of a step in flight is the one from before its first part. */
function resumeStep(turn: Turn): void {
  inNextMessage(turn, (block) => {
    turn.step = new ModelStep(turn, block, outputMessage(turn, readership(turn, block)));
    turn.openBlockId = turn.frame.open?.runId;
    turn.hasReader = true;
  });
}
