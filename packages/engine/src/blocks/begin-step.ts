import type { NextMessageBlock } from "@muster/language";
import type { ModelFailure } from "@muster/models";
import type { Repair } from "../boundary/frame.ts";
import type { StoredMessage, StoredPart } from "../conversation/conversation.ts";
import { asidePrefix, isModelOutput, settleMessage } from "../conversation/messages.ts";
import { showsContent, toolVisibility } from "../shown/display.ts";
import { ModelStep } from "../steps/model-step.ts";
import { materialOf } from "../steps/prompt-material.ts";
import { outputMessage, type Readership, visibleMessages } from "../turn/output.ts";
import { settingsInFlight, settingsOf } from "../turn/scope.ts";
import { emit, emitOuter, messagesOfTurn, type StepInFlight, type Turn } from "../turn/turn.ts";
import { callModel, readership } from "./call-model.ts";
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
  const { measured, summary } = material;
  if (measured === undefined || !beginFold(turn, block, read.settings, measured, summary))
    callModel(turn, block, read.settings, material);
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

/** In characters of JSON. */
const defaultSealLength = 16 * 1024;

/**
 * Ends stored messages of a running turn between two steps, so that they can be archived: otherwise a long turn would
 * store all of its steps again with each of the next ones. The next step, whose readers are given, continues its message
 * if that is still short, otherwise in another one; users see one (`partOf`).
 */
function sealOutput(turn: Turn, next: Readership): void {
  const own = messagesOfTurn(turn);
  const last = own.at(-1);
  const { sealLength = defaultSealLength } = turn.environment;
  for (const message of own) {
    if (message.status !== "streaming" || !isSealable(message)) continue;
    // The messages that users see must end with an open one.
    if (message.audience === "everyone" && next.audience !== "everyone") continue;
    const isContinued = message === last && isFor(message, next);
    if (!isContinued || isLong(message.parts, sealLength)) settleMessage(message);
  }
}

function isFor(message: StoredMessage, { audience, thread }: Readership): boolean {
  return message.audience === audience && message.thread === thread;
}

/**
 * Without output of the model, it may still move behind an added message. After a step without output, the end of the
 * turn removes the separator.
 */
function isSealable({ role, thread, parts }: StoredMessage): boolean {
  if (role !== "assistant" || thread.startsWith(asidePrefix)) return false;
  if (parts.at(-1)?.type === "step-start") return false;
  return parts.some(isModelOutput) && !parts.some(isOpen);
}

function isOpen(part: StoredPart): boolean {
  if (!("status" in part) || part.type === "todo") return false;
  return part.status === "streaming" || part.status === "pending" || part.status === "running";
}

/** Whether the JSON of the value has at least this many characters. Takes no longer the larger it is. */
function isLong(value: unknown, length: number): boolean {
  return leftOf(length, value) <= 0 || JSON.stringify(value).length >= length;
}

/** The length less the characters that the JSON of the value has at least; stops when nothing is left. */
function leftOf(length: number, value: unknown): number {
  if (typeof value === "string") return length - value.length - 2;
  if (typeof value !== "object" || value === null) return length - 1;
  let left = length - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index++) left = leftOf(left, value[index]);
    return left;
  }
  for (const key in value) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) left = leftOf(left - key.length, member);
    if (left <= 0) break;
  }
  return left;
}

/**
 * Retracts what readers may have seen after a worker that they cannot see into: of its card, or, if they do not see that
 * either, of the turn that waits for it.
 */
function retractAfter(worker: Turn): void {
  const { origin, frame } = worker;
  if (origin === undefined || frame.workerId === undefined) return;
  const { parent, part, thread } = origin;
  if (parent.isSilent) retractAfter(parent);
  else if (toolVisibility[part.display].name)
    emitOuter(worker, { type: "step-discard", step: frame.modelSteps, workerId: frame.workerId });
  else {
    // A summary is written within the step that needs it.
    const isInStep = parent.frame.open?.fold?.call === part;
    retractWait(parent, thread, parent.frame.modelSteps + (isInStep ? 0 : 1));
  }
}

/** Retracts what readers may have seen after the turn, or the worker, has waited. `step`: the one that followed. */
export function retractWait(turn: Turn, thread: string, step = turn.frame.modelSteps + 1): void {
  if (turn.isSilent) {
    retractAfter(turn);
    return;
  }
  const blockId = turn.openBlock?.id;
  const event = { type: "step-discard", step, waiting: true } as const;
  emit(turn, blockId === undefined ? event : { ...event, blockId }, thread);
}
