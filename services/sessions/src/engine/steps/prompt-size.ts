import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ThreadConfig } from "@muster/protocol";
import type { PromptSize } from "../conversation/conversation.ts";
import type { Turn } from "../turn/turn.ts";

/** Of models that the catalog does not know. Larger ones waste room, and smaller ones refuse the prompt and teach theirs. */
const unknownWindow = 128_000;
/** A count outside cannot be of this prompt: providers count wrongly at times. */
const ratios = { min: 0.2, max: 5 } as const;
const leastWindow = 500;

/** How much a model may read, in estimated tokens. */
export interface PromptRoom {
  /** For the whole prompt. */
  limit: number;
  /** For the turns that stay whole. */
  recent: number;
  /** The context window in the provider's tokens. */
  window: number;
  /** The provider's tokens for each estimated one. */
  ratio: number;
}

/** Undefined if the thread's context is not managed. */
export function roomOf(
  { environment, conversation }: Pick<Turn, "environment" | "conversation">,
  thread: string,
  modelId: string,
  { contextManagement, maxOutputTokens = 0 }: Pick<ThreadConfig, "contextManagement" | "maxOutputTokens">,
): PromptRoom | undefined {
  if (contextManagement === undefined) return undefined;
  const learned = sizeOf(conversation.promptSizes, thread, modelId);
  const known = environment.contextWindow?.(modelId) ?? unknownWindow;
  const window = Math.min(known, learned?.window ?? known);
  const ratio = learned?.ratio ?? 1;
  const { thresholdPercent, recentPercent } = contextManagement;
  // The output shares the window with the prompt.
  const beside = Math.max(window - maxOutputTokens, window / 4);
  const limit = Math.min((window * thresholdPercent) / 100, beside);
  const recent = Math.min((window * recentPercent) / 100, limit / 2);
  return { limit: Math.floor(limit / ratio), recent: Math.floor(recent / ratio), window, ratio };
}

/** Corrects the next estimates by what the provider has counted for this prompt. */
export function learnSize(turn: Turn, thread: string, { inputTokens }: LanguageModelV4Usage): void {
  const { estimatedTokens, conversation, frame } = turn;
  const { modelId } = frame.open ?? {};
  const counted = inputTokens.total;
  if (estimatedTokens === undefined || modelId === undefined || counted === undefined) return;
  const ratio = counted / estimatedTokens;
  if (!(ratio >= ratios.min && ratio <= ratios.max)) return;
  const { window } = sizeOf(conversation.promptSizes, thread, modelId) ?? {};
  keep(turn, thread, { modelId, ratio, ...(window !== undefined && { window }) });
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
