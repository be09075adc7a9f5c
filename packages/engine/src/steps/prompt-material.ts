import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { NextMessageBlock, ThreadConfig } from "@muster/language";
import type { Compaction } from "../boundary/compaction.ts";
import { type Reading, tokensIn } from "../context/estimate.ts";
import { trim } from "../context/trim.ts";
import { messagesAfter, type Sized, sizedAfter, summaryOf, sumOf } from "../context/view.ts";
import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { type Missing, prefaceOf } from "../prompt/prompt.ts";
import { offeredTools } from "../tools/offered-tools.ts";
import { remoteProblemsOf } from "../tools/remote-servers.ts";
import { renderPrompt, type StepSettings } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";
import { fitted } from "./new-summary.ts";
import { limitsOf, type PromptRoom, roomOf, type StepLimits } from "./prompt-size.ts";

/** Everything that a step's prompt is made of. */
export interface PromptMaterial {
  tools: LanguageModelV4FunctionTool[];
  /** The rendered system prompt. */
  system?: string;
  /** The threads that the model reads. */
  threads: string[];
  summary?: ThreadSummary;
  /** Absent: the thread's context is not managed. */
  measured?: Measured;
}

/** In estimated tokens. */
export interface Measured {
  room: PromptRoom;
  limits: StepLimits;
  /** The messages that are not part of the summary. */
  sized: Sized[];
  /** The size of the system prompt, the tools and the response type. */
  instructions: number;
  /** The size of everything but the messages: with the summary, too. */
  overhead: number;
  /** The size of the whole prompt. */
  total: number;
}

/** The messages that a model reads. */
export interface Selection extends Missing {
  messages: StoredMessage[];
  /** Instead of the thread's setting. */
  maxToolOutputTokens?: number;
  /** Estimated for the whole prompt. Absent: not measured. */
  tokens?: number;
  /** The messages that were left out. */
  compaction?: Compaction;
}

export function materialOf(turn: Turn, block: NextMessageBlock, settings: StepSettings): PromptMaterial {
  const { config, modelId } = settings;
  const { contextManagement, maxOutputTokens } = config;
  const { thread } = block;
  const aside = turn.frame.open?.asideThread;
  const room = contextManagement && roomOf(turn, thread, modelId, contextManagement, maxOutputTokens);
  const summary = summaryFor(turn, thread, room);
  const prompt = config.system && renderPrompt(turn, config.system);
  const problems = remoteProblemsOf(turn, config);
  const system = problems.length === 0 ? prompt : [prompt ?? [], ...problems].flat().join("\n\n");
  const material = {
    tools: offeredTools(turn, thread, config),
    ...(system && { system }),
    threads: aside === undefined ? [thread] : [thread, aside],
    ...(summary && { summary }),
  };
  return room === undefined
    ? material
    : { ...material, measured: measure(turn, block, config, material, room) };
}

/** The summary, as far as the model has room for it. */
function summaryFor(
  { conversation, frame }: Turn,
  thread: string,
  room: PromptRoom | undefined,
): ThreadSummary | undefined {
  const summary = summaryOf(conversation, thread);
  if (summary === undefined || room === undefined) return summary;
  const limit = Math.min(room.limit, frame.open?.reducedTo ?? room.limit);
  return fitted(summary, { limit, recent: Math.min(room.recent, limit / 2) });
}

function measure(
  turn: Turn,
  { responseType }: NextMessageBlock,
  config: ThreadConfig,
  { tools, system = "", threads, summary }: Omit<PromptMaterial, "measured">,
  room: PromptRoom,
): Measured {
  const sized = sizedAfter(turn.conversation, threads, summary, readingOf(turn, config));
  const messages = sized.map(({ message }) => message);
  const instructions = tokensInAll([
    system,
    tools.length === 0 ? "" : JSON.stringify(tools),
    responseType === undefined ? "" : JSON.stringify(responseType.schema),
  ]);
  const preface = summary === undefined ? "" : (prefaceOf(messages, { summary }) ?? "");
  const overhead = instructions + tokensInAll([...(summary?.system ?? []), preface]);
  const limits = limitsOf(room, overhead, turn.frame.open?.reducedTo);
  return { room, limits, sized, instructions, overhead, total: overhead + sumOf(sized) };
}

function tokensInAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensIn(text), 0);
}

/** How the thread's model reads tool results. */
export function readingOf({ program }: Turn, { maxToolOutputTokens }: ThreadConfig): Reading {
  return { maxToolOutputTokens, references: program.references };
}

/** For the note about messages that are left out. */
const noteTokens = 40;

/** All messages after the summary, or as many as there is room for. */
export function select(turn: Turn, settings: StepSettings, material: PromptMaterial): Selection {
  const { summary, threads, measured } = material;
  const kept = summary === undefined ? {} : { summary };
  if (measured === undefined)
    return { messages: messagesAfter(turn.conversation, threads, summary), ...kept };
  const { sized, overhead, total } = measured;
  const { limit } = measured.limits;
  if (total <= limit) return { messages: sized.map(({ message }) => message), ...kept, tokens: total };
  const left = limit - overhead - noteTokens;
  const { omitted, tokens, messages, maxToolOutputTokens } = trim(
    sized,
    left,
    readingOf(turn, settings.config),
  );
  const selected = {
    messages,
    omitted,
    tokens: overhead + tokens + noteTokens,
    ...(maxToolOutputTokens !== undefined && { maxToolOutputTokens }),
    ...kept,
  };
  if (omitted === 0 && maxToolOutputTokens === undefined) return selected;
  return { ...selected, compaction: trimmed(turn, measured, selected.tokens, omitted) };
}

const noRoom = "The instructions and tools leave too little room for messages.";

function trimmed(
  { frame: { open, foldProblem } }: Turn,
  { room: { ratio, limit }, instructions, total }: Measured,
  after: number,
  messages: number,
): Compaction {
  const problem = foldProblem ?? (instructions > limit ? noRoom : undefined);
  return {
    cause: open?.reducedTo === undefined ? "threshold" : "refusal",
    method: "trim",
    tokensBefore: Math.round(total * ratio),
    tokensAfter: Math.round(after * ratio),
    messages,
    ...(problem !== undefined && { problem }),
  };
}
