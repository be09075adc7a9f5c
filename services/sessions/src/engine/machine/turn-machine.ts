import type { ModelFailure } from "@muster/models";
import { type NextMessageBlock, PromptTooLargeError } from "@muster/protocol";
import { abandonFold, retryReduced } from "../blocks/fold.ts";
import { continueNextMessage, endStep } from "../blocks/next-message.ts";
import { redoStep, resumeStep, retryOnBackup } from "../blocks/start-step.ts";
import { receiveToolResult } from "../blocks/tool-call.ts";
import type { Phase } from "../boundary/frame.ts";
import type { Effect, Input, Machine, ToolOutcome } from "../boundary/machine.ts";
import { modelFailureEvent, problemEvent, promptTooLargeEvent } from "../shown/failure-event.ts";
import { applyOutcomes } from "../tools/tool-results.ts";
import { emitOuter, type Turn } from "../turn/turn.ts";
import { run, settleOutcome } from "./run-blocks.ts";
import { abort, fail } from "./turn-end.ts";
import { announceWorker } from "./worker.ts";

/**
 * The inputs that a turn accepts in each phase. A turn that has ended ignores the rest of a call that the driver had
 * in flight; any other unexpected input is a bug in the driver.
 */
const accepted: Readonly<Record<Phase, ReadonlySet<Input["type"]>>> = {
  new: new Set(["start", "abort"]),
  model: new Set(["redo-step", "model-part", "model-done", "model-failed", "abort"]),
  waiting: new Set(["tool-results", "abort"]),
  over: new Set(["model-part", "model-done", "model-failed", "abort"]),
};

/** Runs the blocks of a handler, or the steps of a worker. See `Machine`. */
export class TurnMachine implements Machine {
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
    if (turn.frame.phase === "model") inNextMessage(turn, (block) => resumeStep(turn, block));
  }

  get conversation() {
    return this.#turn.conversation;
  }

  get frame() {
    return this.#turn.frame;
  }

  get block() {
    return this.#turn.blocks[this.#turn.frame.blockIndex];
  }

  advance(input: Input): Effect[] {
    const turn = this.#turn;
    const { phase } = turn.frame;
    if (!accepted[phase].has(input.type))
      throw new Error(`A turn in the phase ${phase} does not accept ${input.type}.`);
    const effects: Effect[] = [];
    turn.effects = effects;
    if (phase === "model") takeInStep(turn, input);
    else if (phase !== "over") take(turn, input);
    return effects;
  }
}

/** Values that the turn itself produced can make a prompt too large; earlier output is kept. */
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
      // A step that the guard has cut has ended, even if the model sends more.
      if (turn.step?.isLooping) endOfStep(turn);
      break;
    case "start":
      announce(turn, input.sessionId);
      announceWorker(turn);
      run(turn);
      break;
    case "tool-results":
      continueTurn(turn, input.outcomes);
      break;
    case "redo-step":
      inNextMessage(turn, (block) => {
        const problem = redoStep(turn, block, input.lostEvents);
        if (problem !== undefined) fail(turn, problemEvent("protocol_error", problem));
      });
      break;
    case "model-done":
      endOfStep(turn);
      break;
    case "model-failed":
      inNextMessage(turn, (block) => {
        if (!callAgain(turn, block, input.failure)) fail(turn, modelFailureEvent(input.failure));
      });
      break;
    case "abort":
      abort(turn);
      break;
    default:
      input satisfies never;
  }
}

/** False if the failure is final. */
function callAgain(turn: Turn, block: NextMessageBlock, failure: ModelFailure): boolean {
  return (
    abandonFold(turn, block, failure) ||
    retryReduced(turn, block, failure) ||
    retryOnBackup(turn, block, failure)
  );
}

function announce(turn: Turn, sessionId?: string): void {
  const { messageId, executionId, lastMessageId } = turn.frame;
  emitOuter(turn, {
    type: "start",
    messageId,
    executionId,
    ...(lastMessageId !== undefined && { lastMessageId }),
    ...(sessionId !== undefined && { sessionId }),
  });
  turn.hasReader = true;
}

/** A continued turn: first the outcomes, then the block that waited for them. */
function continueTurn(turn: Turn, outcomes: readonly ToolOutcome[]): void {
  announce(turn);
  const parts = applyOutcomes(turn, outcomes);
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") {
    settleOutcome(turn, block, continueNextMessage(turn, block));
    return;
  }
  if (block?.kind === "tool-call") receiveToolResult(turn, block, parts[0]);
  turn.frame.blockIndex += 1;
  run(turn);
}

function endOfStep(turn: Turn): void {
  inNextMessage(turn, (block) => settleOutcome(turn, block, endStep(turn, block)));
}

function inNextMessage(turn: Turn, act: (block: NextMessageBlock) => void): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") act(block);
}
