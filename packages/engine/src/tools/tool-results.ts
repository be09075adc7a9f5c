import type { JsonValue } from "@muster/language";
import { maxPendingCalls } from "../boundary/frame.ts";
import type { ToolOutcome } from "../boundary/machine.ts";
import type { FileRef, StoredMessage, ToolCallPart } from "../conversation/conversation.ts";
import { fenceOf, hasForeignText } from "../conversation/messages.ts";
import { cancelCall, failCall, fulfilCall, type Show } from "../shown/call-events.ts";
import { toolVisibility } from "../shown/display.ts";
import { emit, messagesOfTurn, type Origin, type Turn, whereabouts } from "../turn/turn.ts";

const tooManyCalls = `At most ${maxPendingCalls} calls of a turn and its workers wait for results at the same time. Make this call again in the next step.`;

/**
 * Marks the thread's calls as running: the turn's caller has to carry them out. A caller may send only so many results, so the
 * calls beyond that fail.
 */
export function requestCalls(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  const room = Math.max(0, maxPendingCalls - waitingIn(turn));
  const requested = calls.slice(0, room);
  for (const part of calls.slice(room)) failCall(part, tooManyCalls, (event) => emit(turn, event, thread));
  for (const part of requested) part.status = "running";
  const where = whereabouts(turn, thread);
  turn.frame.pendingToolCalls = requested.map(({ toolCallId, toolName, args, source }) => ({
    toolCallId,
    toolName: requestedName(turn, toolName),
    args,
    source,
    ...where,
  }));
}

/** Calls of the turn itself and of all workers that wait already. */
function waitingIn({ tree: { root, workers } }: Turn): number {
  return [root, ...workers.values()].reduce((sum, { frame }) => sum + frame.pendingToolCalls.length, 0);
}

/** Calls of the turn and its workers that wait for decisions, or for services, already. */
export function heldIn({ tree: { root, workers } }: Turn): number {
  return [root, ...workers.values()].reduce(
    (sum, { frame }) => sum + (frame.pendingApprovals?.length ?? 0),
    0,
  );
}

/** Applies the outcomes to the pending calls, in the order in which these were made. Returns their parts. */
export function applyOutcomes(turn: Turn, outcomes: readonly ToolOutcome[]): ToolCallPart[] {
  const given = new Map(outcomes.map(({ toolCallId, outcome }) => [toolCallId, outcome]));
  const parts: ToolCallPart[] = [];
  const pending = pendingParts(turn);
  for (const { toolCallId, thread } of turn.frame.pendingToolCalls) {
    const found = pending.get(toolCallId);
    if (found === undefined) continue;
    applyOutcome(turn, found, given.get(toolCallId), (event) => emit(turn, event, thread));
    parts.push(found.part);
  }
  turn.frame.pendingToolCalls = [];
  turn.tree.root.frame.worthSaving = true;
  return parts;
}

/**
 * The turn ends before it could pause for the calls that it is about to request, because a worker was still running. No
 * reader has seen them begin, so the stream must say that they never did.
 */
export function cancelRequests(turn: Turn): void {
  const pending = pendingParts(turn);
  for (const { toolCallId, thread } of turn.frame.pendingToolCalls.splice(0)) {
    const part = pending.get(toolCallId)?.part;
    if (part !== undefined)
      cancelCall(part, "The call was cancelled: the turn has ended.", (event) => emit(turn, event, thread));
  }
}

interface Pending {
  part: ToolCallPart;
  message: StoredMessage;
}

/** The model reads the outcome, even that of a call that nothing has answered. */
export function applyOutcome(
  turn: Turn,
  { part, message }: Pending,
  outcome: ToolOutcome["outcome"] | undefined,
  show: Show,
): void {
  if (hasForeignText(part)) rememberForeign(turn);
  if (outcome === undefined) cancelCall(part, "The call was cancelled: no result was sent.", show);
  else if (outcome.type === "error") failCall(part, outcome.error, show);
  else {
    fulfilCall(part, outcome.result satisfies JsonValue, show);
    attachFiles({ part, message }, outcome.files ?? [], show);
  }
}

/** Text of others has been read. The fence stands around it from now on. */
export function rememberForeign({ tree: { root } }: Turn): void {
  root.conversation.isUntrusted = true;
  root.conversation.fence ??= fenceOf(root.frame);
}

/** Who sees the result of a call sees its files. */
function attachFiles({ part, message }: Pending, files: FileRef[], show: Show): void {
  if (files.length === 0) return;
  part.files = files;
  const { toolCallId, display } = part;
  const { resultLive, resultOnReread } = toolVisibility[display];
  for (const file of files) {
    if (resultLive) show({ type: "file-available", ...file, toolCallId });
    if (resultOnReread) message.parts.push({ type: "file", ...file, toolCallId });
  }
}

function pendingParts(turn: Turn): Map<string, Pending> {
  return partsById(
    turn,
    turn.frame.pendingToolCalls.map(({ toolCallId }) => toolCallId),
  );
}

/** The parts of the turn's calls. One pass over the turn, however many calls there are. */
export function partsById(turn: Turn, toolCallIds: readonly string[]): Map<string, Pending> {
  const ids = new Set(toolCallIds);
  const found = new Map<string, Pending>();
  for (const message of messagesOfTurn(turn)) {
    for (const part of message.parts)
      if (part.type === "tool-call" && ids.has(part.toolCallId))
        found.set(part.toolCallId, { part, message });
  }
  return found;
}

/** The name under which the caller knows a worker's tool: each definition on the way may replace it with one of its own. */
function requestedName(turn: Turn, toolName: string): string {
  const { origin } = turn;
  const replacement = replacementOf(origin, toolName);
  return origin && replacement !== undefined ? requestedName(origin.parent, replacement) : toolName;
}

/** The tool of the calling definition that replaces a worker's. Undefined: none does. */
export function replacementOf(origin: Origin | undefined, toolName: string): string | undefined {
  if (origin === undefined) return undefined;
  const { workers } = origin.parent.program;
  const slug = origin.part.toolName;
  const tools = Object.hasOwn(workers, slug) ? (workers[slug]?.tools ?? {}) : {};
  return Object.hasOwn(tools, toolName) ? tools[toolName] : undefined;
}
