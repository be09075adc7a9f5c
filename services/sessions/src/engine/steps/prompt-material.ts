import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { NextMessageBlock, ThreadConfig } from "@muster/protocol";
import type { Compaction } from "../boundary/machine.ts";
import { type Reading, tokensIn } from "../context/estimate.ts";
import { trim } from "../context/trim.ts";
import { messagesAfter, type Sized, sizedAfter, summaryOf, sumOf } from "../context/view.ts";
import type { StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { type Missing, prefaceOf } from "../prompt/preface.ts";
import { offeredTools } from "../tools/offered-tools.ts";
import { renderPrompt } from "../turn/scope.ts";
import type { Turn } from "../turn/turn.ts";
import { fitted } from "./new-summary.ts";
import { type PromptRoom, roomOf } from "./prompt-size.ts";
import type { StepSettings } from "./settings.ts";

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
  /** The messages that are not part of the summary. */
  sized: Sized[];
  /** Of everything but the messages. */
  overhead: number;
  /** Of the whole prompt. */
  total: number;
}

/** What a model reads of the messages. */
export interface Selection extends Missing {
  messages: StoredMessage[];
  /** Instead of the thread's setting. */
  maxToolOutputTokens?: number;
  /** Estimated for the whole prompt. Absent: not measured. */
  tokens?: number;
  /** What was left out. */
  compaction?: Compaction;
}

export function materialOf(turn: Turn, block: NextMessageBlock, settings: StepSettings): PromptMaterial {
  const { config, modelId } = settings;
  const { thread } = block;
  const aside = turn.frame.open?.asideThread;
  const room = roomOf(turn, thread, modelId, config);
  const summary = summaryFor(turn, thread, room);
  const system = config.system && renderPrompt(turn, config.system);
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

/** As far as the model has room for it. */
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
  const fixed = [
    system,
    ...(summary?.system ?? []),
    summary === undefined ? "" : (prefaceOf(messages, { summary }) ?? ""),
    tools.length === 0 ? "" : JSON.stringify(tools),
    responseType === undefined ? "" : JSON.stringify(responseType.schema),
  ];
  const overhead = fixed.reduce((sum, text) => sum + tokensIn(text), 0);
  return { room, sized, overhead, total: overhead + sumOf(sized) };
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
  const { sized, overhead, total, room } = measured;
  const limit = turn.frame.open?.reducedTo ?? room.limit;
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
  return { ...selected, compaction: trimmed(turn, room, total, selected.tokens, omitted) };
}

function trimmed(
  { frame: { open, foldProblem } }: Turn,
  { ratio }: PromptRoom,
  before: number,
  after: number,
  messages: number,
): Compaction {
  return {
    cause: open?.reducedTo === undefined ? "threshold" : "refusal",
    method: "trim",
    tokensBefore: Math.round(before * ratio),
    tokensAfter: Math.round(after * ratio),
    messages,
    ...(foldProblem !== undefined && { problem: foldProblem }),
  };
}
