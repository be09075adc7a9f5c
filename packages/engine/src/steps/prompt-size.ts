import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ThreadConfig } from "@muster/language";
import type { PromptSize } from "../conversation/conversation.ts";
import type { Turn } from "../turn/turn.ts";

/**
 * The window of models that the catalog does not know. Larger ones waste room, and smaller ones refuse the prompt and
 * teach theirs.
 */
const unknownWindow = 128_000;
/** A count outside cannot be of this prompt: providers count wrongly at times. */
const ratios = { min: 0.2, max: 5 } as const;
const leastWindow = 500;

/**
 * The smallest share of the room for a prompt: a summary that replaces less is not worth its call. It may be about as
 * long itself.
 */
const leastFoldShare = 0.1;

/** How much a model may read, in estimated tokens. */
export interface PromptRoom {
  /** For the whole prompt, before older turns become part of a summary. */
  limit: number;
  /** For the whole prompt, if its instructions and tools leave no room below the limit. */
  most: number;
  /** For the turns that stay whole. */
  recent: number;
  /** The context window in the provider's tokens. */
  window: number;
  /** The provider's tokens for each estimated one. */
  ratio: number;
}

/** For a thread whose context is managed. */
export function roomOf(
  { environment, conversation }: Pick<Turn, "environment" | "conversation">,
  thread: string,
  modelId: string,
  { thresholdPercent, recentPercent }: NonNullable<ThreadConfig["contextManagement"]>,
  maxOutputTokens = 0,
): PromptRoom {
  const learned = sizeOf(conversation.promptSizes, thread, modelId);
  const known = environment.contextWindow?.(modelId) ?? unknownWindow;
  const window = Math.min(known, learned?.window ?? known);
  const ratio = learned?.ratio ?? 1;
  // The output shares the window with the prompt.
  const beside = Math.max(window - maxOutputTokens, window / 4);
  const limit = Math.min((window * thresholdPercent) / 100, beside);
  const recent = Math.min((window * recentPercent) / 100, limit / 2);
  return {
    limit: Math.floor(limit / ratio),
    most: Math.floor(beside / ratio),
    recent: Math.floor(recent / ratio),
    ...{ window, ratio },
  };
}

/** The limits that a step derives from the room, in estimated tokens. */
export interface StepLimits {
  /** The limit of the whole prompt. */
  limit: number;
  /** The size of the messages that stay whole when others become part of a summary. */
  recent: number;
  /** A summary replaces at least that much. */
  leastFold: number;
}

/**
 * `overhead`: the size of the prompt's other contents, which no summary can reduce. If it takes nearly all of the room,
 * the limit rises, so that the messages have room to grow from one summary to the next: otherwise every turn would
 * write one.
 */
export function limitsOf(room: PromptRoom, overhead: number, reducedTo: number | undefined): StepLimits {
  const configured = reducedTo ?? room.limit;
  const leastFold = configured * leastFoldShare;
  const raised = Math.max(configured, overhead + 2 * leastFold);
  const limit = reducedTo ?? Math.min(raised, room.most);
  const recent = Math.max(0, Math.min(room.recent, limit - overhead - leastFold));
  return { limit, recent, leastFold };
}

/** Corrects the next estimates by the provider's count for this prompt. */
export function learnSize(
  turn: Turn,
  thread: string,
  estimatedTokens: number,
  usage: LanguageModelV4Usage,
): void {
  const { modelId } = turn.frame.open ?? {};
  if (modelId === undefined) return;
  const known = sizeOf(turn.conversation.promptSizes, thread, modelId);
  const counted = ratioOf(usage, estimatedTokens);
  const { isCrowded = false } = turn;
  if (counted === undefined && isCrowded === (known?.isCrowded ?? false)) return;
  const { ratio = 1, window } = known ?? {};
  keep(turn, thread, {
    ...{ modelId, ratio: counted ?? ratio },
    ...(window !== undefined && { window }),
    ...(isCrowded && { isCrowded }),
  });
}

function ratioOf({ inputTokens }: LanguageModelV4Usage, estimatedTokens: number): number | undefined {
  const ratio = (inputTokens.total ?? 0) / estimatedTokens;
  return ratio >= ratios.min && ratio <= ratios.max ? ratio : undefined;
}

/** The provider has refused a prompt of this size. */
export function learnRefusal(
  turn: Turn,
  thread: string,
  modelId: string,
  { window, ratio }: PromptRoom,
  estimatedTokens: number,
): void {
  const refused = Math.max(leastWindow, Math.floor(estimatedTokens * ratio * 0.9));
  keep(turn, thread, { modelId, ratio, window: Math.min(window, refused) });
}

/**
 * For the log, if the instructions and tools of a prompt alone take more than its limit. Once for each model of a thread, unless they
 * have become shorter in between: once the call has ended.
 */
export function crowdingOf(
  turn: Turn,
  thread: string,
  modelId: string,
  { limit, window, ratio }: PromptRoom,
  instructions: number,
): string | undefined {
  turn.isCrowded = instructions > limit;
  const known = sizeOf(turn.conversation.promptSizes, thread, modelId);
  if (!turn.isCrowded || known?.isCrowded === true) return undefined;
  const [taken, threshold] = [instructions, limit].map((tokens) => Math.round(tokens * ratio));
  return (
    `The instructions and tools of the thread ${thread} take about ${taken} tokens. Its thresholdPercent of the ${window} of ` +
    `${modelId} is ${threshold}, and summaries cannot bring its prompts below that. Shorten the instructions, offer fewer tools, ` +
    `or use a model with a larger window.`
  );
}

function keep({ conversation }: Turn, thread: string, size: PromptSize): void {
  conversation.promptSizes = { ...conversation.promptSizes, [thread]: size };
}

function sizeOf(
  sizes: Readonly<Record<string, PromptSize>> = {},
  thread: string,
  modelId: string,
): PromptSize | undefined {
  const size = Object.hasOwn(sizes, thread) ? sizes[thread] : undefined;
  return size?.modelId === modelId ? size : undefined;
}
