import type { NextMessageBlock } from "@muster/language";
import type { ModelFailure } from "@muster/models";
import type { Compaction } from "../boundary/compaction.ts";
import type { OpenFold } from "../boundary/frame.ts";
import { planFold } from "../context/fold-plan.ts";
import { summaryOf } from "../context/view.ts";
import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { finalEnd } from "../conversation/messages.ts";
import { newSummary } from "../steps/new-summary.ts";
import { type Measured, materialOf } from "../steps/prompt-material.ts";
import { learnRefusal } from "../steps/prompt-size.ts";
import { FoldStep, maxSummaryLength, summaryCall } from "../steps/summary-call.ts";
import { type StepSettings, settingsInFlight } from "../turn/scope.ts";
import { emit, forgetCallIds, type StepInFlight, type Turn, timestamp } from "../turn/turn.ts";
import { beginCall, callModel } from "./call-model.ts";
import { beginSummarizer, summarizerCall, summaryIn } from "./fold-worker.ts";

/*
 * Older turns become part of a running summary before a step whose prompt is too large. The summary is a message of its own
 * behind the final ones, so that it is stored, fenced and rolled back like them.
 */

/** Calls the model, or the worker, that writes a summary. False if the step does not need one, or none can help. */
export function beginFold(
  turn: Turn,
  block: NextMessageBlock,
  settings: StepSettings,
  measured: Measured,
  summary: ThreadSummary | undefined,
): boolean {
  const { open, foldProblem } = turn.frame;
  if (open === undefined || foldProblem !== undefined) return false;
  const { room, limits, sized, overhead, total } = measured;
  if (total <= limits.limit) return false;
  const budget = {
    ...limits,
    limit: limits.limit - overhead,
    finalEnd: finalEnd(turn.conversation, summary?.through),
  };
  const last = sized[(planFold(sized, budget) ?? 0) - 1];
  if (last === undefined) return false;
  const cause = open.reducedTo === undefined ? "threshold" : "refusal";
  const tokensBefore = Math.round(total * room.ratio);
  const fold: OpenFold = { through: last.at + 1, cause, tokensBefore };
  const slug = settings.config.contextManagement?.summarizerWorker;
  if (slug !== undefined) return callSummarizerWorker(turn, block, slug, measured, summary, fold);
  callSummarizer(turn, block, settings, measured, summary, fold);
  return true;
}

/** The turn waits for the worker. False if it cannot run. */
function callSummarizerWorker(
  turn: Turn,
  { thread }: NextMessageBlock,
  slug: string,
  measured: Measured,
  before: ThreadSummary | undefined,
  fold: OpenFold,
): boolean {
  const { frame } = turn;
  if (frame.open === undefined) return false;
  const call = summarizerCall(turn, slug);
  frame.open.fold = { ...fold, call };
  turn.step = undefined;
  const folded = measured.sized.filter(({ at }) => at < fold.through);
  const obstacle = beginSummarizer(turn, thread, call, { folded, before, measured });
  if (obstacle === undefined) frame.phase = "parked";
  else {
    frame.foldProblem = obstacle.problem;
    closeFold(turn);
  }
  return obstacle === undefined;
}

/** Repeats the call in flight if it writes a summary. */
export function repeatFold(turn: Turn, block: NextMessageBlock, settings: StepSettings): boolean {
  const { fold } = turn.frame.open ?? {};
  const { measured, summary } = materialOf(turn, block, settings);
  if (fold === undefined || measured === undefined) return false;
  callSummarizer(turn, block, settings, measured, summary, fold);
  return true;
}

/** For a state that was stored during the call. */
export function restoreFold(turn: Turn, block: NextMessageBlock): void {
  const read = settingsInFlight(turn, block);
  const { measured } = read.ok ? materialOf(turn, block, read.settings) : {};
  turn.step = new FoldStep(turn, measured === undefined ? 0 : maxSummaryLength(measured.room));
}

function callSummarizer(
  turn: Turn,
  block: NextMessageBlock,
  { modelId }: StepSettings,
  { room, sized }: Measured,
  before: ThreadSummary | undefined,
  fold: OpenFold,
): void {
  const { open } = turn.frame;
  if (open === undefined) return;
  open.fold = fold;
  open.modelId = modelId;
  turn.step = new FoldStep(turn, maxSummaryLength(room));
  const folded = sized.filter(({ at }) => at < fold.through);
  beginCall(turn, summaryCall(turn, block, modelId, folded, before, room));
}

/** The summary is written: the step follows. Undefined, or a sentence that explains why the model cannot be called. */
export function endFold(turn: Turn, block: NextMessageBlock, fold: OpenFold): string | undefined {
  const { step } = turn;
  step?.close();
  const read = settingsInFlight(turn, block);
  if (!read.ok) return read.problem;
  const { settings } = read;
  const { measured, summary: before } = materialOf(turn, block, settings);
  if (measured === undefined) return continueWithout(turn, block, "The thread was started again.");
  const { sized, room } = measured;
  const text = fold.call === undefined ? writtenBy(step) : summaryIn(fold.call, room);
  if (text === "") return continueWithout(turn, block, whyEmpty(fold));
  const folded = sized.filter(({ at }) => at < fold.through);
  const kept = sized.find(({ at }) => at >= fold.through);
  const parts = { folded, kept, ...(before && { before }) };
  store(turn, block, newSummary(text, fold.through, parts, room.recent));
  closeFold(turn);
  turn.tree.root.frame.worthSaving = true;
  const material = materialOf(turn, block, settings);
  const after = Math.round((material.measured?.total ?? 0) * room.ratio);
  const { cause, tokensBefore } = fold;
  if (turn.frame.open)
    turn.frame.open.compaction = {
      ...{ cause, method: "summary", tokensBefore, tokensAfter: after, messages: folded.length },
      summarizer: fold.call?.toolName ?? settings.modelId,
    };
  callModel(turn, block, settings, material, compactionsOf(turn, block));
  return undefined;
}

/** The summary that precedes the step, for the log: the process that wrote it may have died before it could log it. */
export function compactionsOf({ frame, conversation }: Turn, { thread }: NextMessageBlock): Compaction[] {
  const { compaction } = frame.open ?? {};
  const { text } = summaryOf(conversation, thread) ?? {};
  return compaction === undefined || text === undefined ? [] : [{ ...compaction, summary: text }];
}

function writtenBy(step: StepInFlight | undefined): string {
  return step instanceof FoldStep ? step.text : "";
}

function whyEmpty({ call }: OpenFold): string {
  if (call === undefined) return "The model wrote no summary.";
  const { toolName, error } = call;
  const slug = JSON.stringify(toolName);
  return error === undefined
    ? `The worker ${slug} returned no summary.`
    : `The worker ${slug} failed: ${error}`;
}

/** Behind all messages whose positions are final. */
function store(turn: Turn, { thread }: NextMessageBlock, summary: ThreadSummary): void {
  const { conversation, frame, environment } = turn;
  const message: StoredMessage = {
    id: environment.newId("msg"),
    role: "system",
    status: "done",
    createdAt: timestamp(turn),
    executionId: frame.executionId,
    thread,
    audience: "model",
    summary,
    parts: [],
  };
  const at = finalEnd(conversation, summary.through);
  conversation.messages.splice(at - (conversation.loadedFrom ?? 0), 0, message);
  forgetCallIds(turn);
}

function closeFold(turn: Turn): void {
  delete turn.frame.open?.fold;
  turn.step = undefined;
}

/** The step follows without a summary, and so do the later steps of the turn. */
function continueWithout(turn: Turn, block: NextMessageBlock, problem: string): string | undefined {
  turn.frame.foldProblem = problem;
  closeFold(turn);
  const read = settingsInFlight(turn, block);
  if (!read.ok) return read.problem;
  callModel(turn, block, read.settings);
  return undefined;
}

/** Whether the failed call should have written a summary; the step then follows without one. */
export function abandonFold(turn: Turn, block: NextMessageBlock, { summary }: ModelFailure): boolean {
  if (turn.frame.open?.fold === undefined) return false;
  return continueWithout(turn, block, summary) === undefined;
}

/** Calls the model again with a smaller prompt if its provider has refused the length of this one. */
export function retryReduced(turn: Turn, block: NextMessageBlock, failure: ModelFailure): boolean {
  const { step, frame } = turn;
  const { open } = frame;
  const read = settingsInFlight(turn, block);
  if (!failure.isTooLong || step === undefined || open === undefined || !read.ok) return false;
  const { measured } = materialOf(turn, block, read.settings);
  if (measured === undefined || open.reducedTo !== undefined) return false;
  if (step.discard()) emit(turn, { type: "step-discard", step: frame.modelSteps }, block.thread);
  const { room, total } = measured;
  const refused = Math.min(turn.estimatedTokens ?? total, total);
  open.reducedTo = Math.floor(Math.min(refused, room.limit) / 2);
  // A limit of bytes, which images reach first, reveals nothing about tokens.
  if (failure.provider.statusCode !== 413)
    learnRefusal(turn, block.thread, read.settings.modelId, room, refused);
  const material = materialOf(turn, block, read.settings);
  const { measured: reduced, summary } = material;
  if (reduced === undefined || !beginFold(turn, block, read.settings, reduced, summary))
    callModel(turn, block, read.settings, material);
  return true;
}
