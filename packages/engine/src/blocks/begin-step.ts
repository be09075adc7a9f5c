import type { NextMessageBlock } from "@muster/language";
import type { ModelFailure } from "@muster/models";
import type { Repair } from "../boundary/frame.ts";
import { isModelOutput } from "../conversation/messages.ts";
import { showsContent } from "../shown/display.ts";
import { ModelStep } from "../steps/model-step.ts";
import { materialOf } from "../steps/prompt-material.ts";
import { outputMessage, visibleMessages } from "../turn/output.ts";
import { sealOutput } from "../turn/seal.ts";
import { emit, type StepInFlight, type Turn } from "../turn/turn.ts";
import { retractAfter } from "../workers/retract.ts";
import { callModel, readership, settingsInFlight, settingsOf } from "./call-model.ts";
import { beginFold, compactionsOf, repeatFold, restoreFold } from "./fold.ts";

/** Undefined if the model is called, otherwise a sentence that explains why it cannot be. */
export function beginStep(turn: Turn, block: NextMessageBlock): string | undefined {
  const { frame } = turn;
  const read = settingsOf(turn, block);
  if (!read.ok) return read.problem;
  if (!frame.open) throw new Error("A step needs an open block.");
  frame.modelSteps += 1;
  frame.open.steps += 1;
  frame.open.maxSteps = read.settings.maxSteps;
  frame.open.onBackup = false;
  delete frame.open.reducedTo;
  delete frame.open.compaction;
  sealOutput(turn, readership(turn, block));
  separateSteps(turn, block);
  const material = materialOf(turn, block, read.settings);
  if (!beginFold(turn, block, read.settings, material)) callModel(turn, block, read.settings, material);
  return undefined;
}

/** A state that was stored during a step goes back to before the step's first part. */
export function restoreStep(turn: Turn, block: NextMessageBlock): void {
  const { open } = turn.frame;
  turn.openBlock = open && { id: open.runId, thread: block.thread };
  turn.hasReader = true;
  const message = outputMessage(turn, readership(turn, block));
  if (open?.fold !== undefined) {
    restoreFold(turn, block);
    return;
  }
  const { firstPart = message.parts.length } = open ?? {};
  message.parts.length = Math.min(firstPart, message.parts.length);
  turn.step = new ModelStep(turn, block, message);
}

/** Tries the step again on the backup model. False if the failure is final. */
export function retryOnBackup(turn: Turn, block: NextMessageBlock, failure: ModelFailure): boolean {
  const { step, frame } = turn;
  const read = settingsOf(turn, block);
  const backupModelId = read.ok ? read.settings.backupModelId : undefined;
  if (!step || !frame.open || frame.open.onBackup || !failure.transient) return false;
  if (!read.ok || backupModelId === undefined) return false;
  if (step.discard()) emit(turn, { type: "step-discard", step: frame.modelSteps }, block.thread);
  frame.open.onBackup = true;
  callModel(turn, block, { ...read.settings, modelId: backupModelId });
  return true;
}

/**
 * Repeats the model call in flight. Clients may have seen more of the step than was stored: they drop it. Undefined, or
 * a sentence that explains why the model cannot be called.
 */
export function repeatStep(turn: Turn, block: NextMessageBlock): string | undefined {
  const { step, frame } = turn;
  const read = settingsInFlight(turn, block);
  if (!read.ok) return read.problem;
  if (!frame.open) throw new Error("A step needs an open block.");
  const { length } = turn.effects;
  step?.discard();
  // No reader needs to see how its open parts end.
  turn.effects.length = length;
  if (turn.isSilent) retractAfter(turn);
  else {
    const event = { type: "step-discard", step: frame.modelSteps } as const;
    emit(turn, isAnnounced(turn, block) ? event : { ...event, blockId: frame.open.runId }, block.thread);
  }
  if (!repeatFold(turn, block, read.settings))
    callModel(turn, block, read.settings, undefined, compactionsOf(turn, block));
  return undefined;
}

/**
 * Repeats a finished step, so that the model corrects the object that it wrote. Undefined, or a sentence that explains
 * why the model cannot be called.
 */
export function repairStep(
  turn: Turn,
  block: NextMessageBlock,
  step: StepInFlight,
  repair: Pick<Repair, "text" | "problem">,
): string | undefined {
  const { frame } = turn;
  const read = settingsInFlight(turn, block);
  if (!read.ok) return read.problem;
  if (!frame.open) throw new Error("A step needs an open block.");
  if (step.discard()) emit(turn, { type: "step-discard", step: frame.modelSteps }, block.thread);
  frame.open.repair = { step: frame.modelSteps, ...repair };
  callModel(turn, block, read.settings);
  return undefined;
}

function separateSteps(turn: Turn, block: NextMessageBlock): void {
  const message = outputMessage(turn, readership(turn, block));
  const earlier = message.audience === "everyone" ? visibleMessages(turn) : [message];
  if (earlier.some(({ parts }) => parts.some(isModelOutput))) message.parts.push({ type: "step-start" });
  const step = turn.frame.modelSteps;
  if (isAnnounced(turn, block)) emit(turn, { type: "step-start", step }, block.thread);
}

/** The first step begins with its block, and steps without visible output are of no interest. */
function isAnnounced({ frame }: Turn, { display }: NextMessageBlock): boolean {
  return frame.modelSteps > 1 && showsContent(display);
}
