import type { WorkerProgram } from "@muster/language";
import type { Sized } from "../context/view.ts";
import type { ThreadSummary } from "../conversation/conversation.ts";
import type { WorkerCallPart } from "../conversation/messages.ts";
import type { Measured } from "../steps/prompt-material.ts";
import { maxSummaryLength, summarized } from "../steps/summary-call.ts";
import type { Turn } from "../turn/turn.ts";
import { beginWorker } from "../workers/begin-worker.ts";
import { findWorker, isFound, type Obstacle } from "../workers/library.ts";

/**
 * The input of a worker that writes summaries: the messages that become part of the summary, and the summary so far,
 * which may be empty.
 */
const inputNames = { conversation: "CONVERSATION", previous: "PREVIOUS_SUMMARY" } as const;

/** In characters. While the worker runs, the turn's state contains them, and the worker's prompt as well. */
const maxConversationLength = 1_000_000;
const charactersPerToken = 4;

/** The messages that a worker summarises. */
export interface Summarized {
  folded: readonly Sized[];
  before: ThreadSummary | undefined;
  measured: Measured;
}

/** The call of the worker; no message contains it, so no user sees it. */
export function summarizerCall({ environment }: Turn, slug: string): WorkerCallPart {
  return {
    type: "tool-call",
    toolCallId: environment.newId("call"),
    toolName: slug,
    display: "hidden",
    source: "block",
    args: {},
    status: "pending",
    worker: { workerId: environment.newId("run"), hasInput: true, messages: [] },
  };
}

/** Undefined if the worker runs. Its call must be in the frame. */
export function beginSummarizer(
  turn: Turn,
  thread: string,
  call: WorkerCallPart,
  material: Summarized,
): Obstacle | undefined {
  const found = findWorker(turn, call.toolName);
  if (!isFound(found)) return found;
  const { input } = found.program;
  if (!Object.hasOwn(input, inputNames.conversation)) {
    const problem = `The worker ${JSON.stringify(call.toolName)} declares no input ${inputNames.conversation}.`;
    return { problem, retryable: false };
  }
  const { previous, conversation } = textsFor(turn, thread, found.program, material);
  const args = {
    [inputNames.conversation]: conversation,
    ...(Object.hasOwn(input, inputNames.previous) && { [inputNames.previous]: previous }),
  };
  return beginWorker(turn, call, thread, args);
}

/** Its model may have a smaller window than that of the thread. */
function textsFor(
  turn: Turn,
  thread: string,
  program: WorkerProgram,
  { folded, before, measured: { room } }: Summarized,
) {
  const known = modelsOf(program).flatMap((id) => turn.environment.contextWindow?.(id) ?? []);
  const window = Math.min(room.window, ...known);
  const most = maxConversationLength / charactersPerToken;
  return summarized(turn, thread, folded, before, { ...room, window }, most);
}

function modelsOf({ steps }: WorkerProgram): string[] {
  return steps.flatMap((block) =>
    block.kind === "start-thread" && "id" in block.config.model ? block.config.model.id : [],
  );
}

/** The output of a worker as a summary. Empty if there is none. */
export function summaryIn({ result }: WorkerCallPart, room: Measured["room"]): string {
  if (result === undefined || result === null) return "";
  const text = typeof result === "string" ? result : JSON.stringify(result);
  return text.slice(0, maxSummaryLength(room)).toWellFormed().trim();
}
