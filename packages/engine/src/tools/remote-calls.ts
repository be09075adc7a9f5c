import type { JsonObject } from "@muster/language";
import { maxPendingCalls, type PendingRemoteCall } from "../boundary/frame.ts";
import type { OpenCall, RemoteOutcome, RemoteTarget } from "../boundary/machine.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { asObject } from "../conversation/messages.ts";
import { announceSuccess, cancelCall, type Show } from "../shown/call-events.ts";
import { emit, type Turn, whereabouts } from "../turn/turn.ts";
import { isSummarizing } from "../workers/library.ts";
import { activateTool, namespaceOf, remoteToolNamed } from "./remote-servers.ts";
import { applyOutcome, heldIn, partsById, replacementOf, requestCalls } from "./tool-results.ts";

/** The service that runs the call for the platform. Undefined: the turn's caller does. */
function targetOf(turn: Turn, toolName: string, args: JsonObject): RemoteTarget | undefined {
  const { origin } = turn;
  const replacement = replacementOf(origin, toolName);
  if (origin !== undefined && replacement !== undefined) return targetOf(origin.parent, replacement, args);
  const { tools } = turn.program;
  const http = Object.hasOwn(tools, toolName) ? tools[toolName]?.http : undefined;
  if (http !== undefined) return { type: "http", tool: toolName, http };
  if (toolName === activateTool) return { type: "mcp-server", namespace: String(args.server) };
  const tool = remoteToolNamed(turn, toolName);
  const namespace = namespaceOf(toolName);
  if (tool === undefined || namespace === undefined) return undefined;
  return { type: "mcp", namespace, tool: tool.remoteName };
}

export function isRemote(turn: Turn, { toolName, args }: ToolCallPart): boolean {
  return targetOf(turn, toolName, asObject(args)) !== undefined;
}

/** Makes calls of the thread: services run some for the platform, and the others are requested from the turn's caller. */
export function makeCalls(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  turn.answered = [];
  requestCalls(turn, callRemote(turn, calls, thread), thread);
}

/** Makes the calls among these that a service runs for the platform, and returns the others. */
function callRemote(turn: Turn, calls: readonly ToolCallPart[], thread: string): ToolCallPart[] {
  return calls.filter((part) => {
    const target = targetOf(turn, part.toolName, asObject(part.args));
    if (target === undefined) return true;
    part.status = "running";
    const { workerId: _, ...where } = whereabouts(turn, thread) ?? {};
    const pending = { toolCallId: part.toolCallId, ...where, isRepeatable: isRepeatable(turn, part, target) };
    turn.frame.remoteCalls = [...(turn.frame.remoteCalls ?? []), pending];
    // The driver must know, before a service can act, that the call has been made.
    turn.tree.root.frame.worthSaving = true;
    make(turn, part, target);
    return false;
  });
}

function isRepeatable(turn: Turn, { toolName }: ToolCallPart, target: RemoteTarget): boolean {
  if (target.type === "http") return target.http.idempotent;
  return target.type === "mcp-server" || remoteToolNamed(turn, toolName)?.isRepeatable === true;
}

function make(turn: Turn, { toolCallId, toolName, args, source }: ToolCallPart, target: RemoteTarget): void {
  const { workerId } = turn.frame;
  const isOfWorker = turn.origin !== undefined && workerId !== undefined;
  const call = { toolCallId, toolName, args, source, target };
  turn.tree.calls.push({ type: "call-remote", ...(isOfWorker && { workerId }), call });
}

/** Gives the call its outcome, unless it has ended. */
export function endRemote(turn: Turn, toolCallId: string, outcome: RemoteOutcome): void {
  const { frame, conversation, tree } = turn;
  const pending = frame.remoteCalls?.find((call) => call.toolCallId === toolCallId);
  const found = partsById(turn, [toolCallId]).get(toolCallId);
  if (pending === undefined || found === undefined) return;
  const others = frame.remoteCalls?.filter((call) => call !== pending) ?? [];
  if (others.length > 0) frame.remoteCalls = others;
  else delete frame.remoteCalls;
  const { part } = found;
  if (part.toolName === activateTool && outcome.type === "result")
    activate(conversation, String(asObject(part.args).server));
  if (outcome.isForeign === true) part.isForeign = true;
  if (outcome.type === "open" && mayWait(turn)) keepOpen(turn, pending, part, outcome);
  else {
    const show = showOn(turn, pending.thread);
    applyOutcome(turn, found, outcome.type === "open" ? cannotWait : outcome, show);
    // The process that died may have shown an error that was not stored.
    if (pending.isRepeated === true && part.status === "done") announceSuccess(part, show);
    turn.answered = [...turn.answered, part];
  }
  tree.root.frame.worthSaving = true;
}

function mayWait(turn: Turn): boolean {
  return turn.environment.canAsk !== false && !isSummarizing(turn) && heldIn(turn) < maxPendingCalls;
}

const cannotWait = {
  type: "error",
  error:
    "The service accepted the call and will answer later, which this execution cannot wait for. The call may take effect.",
} as const;

/** The turn waits for the service's answer, as for a user's decision. */
function keepOpen(
  { frame }: Turn,
  { toolCallId, thread }: PendingRemoteCall,
  { toolName, source }: ToolCallPart,
  { callId, expiresAt }: OpenCall,
): void {
  const { workerId } = frame;
  const open = {
    ...{ approvalId: callId, isOpen: true as const, toolCallId, toolName, source, expiresAt },
    onExpiry: "deny" as const,
    ...(thread !== undefined && { thread }),
    ...(workerId !== undefined && { workerId }),
  };
  frame.pendingApprovals = [...(frame.pendingApprovals ?? []), open];
}

function activate(conversation: Turn["conversation"], namespace: string): void {
  const { activeMcpServers = [] } = conversation;
  if (!activeMcpServers.includes(namespace)) conversation.activeMcpServers = [...activeMcpServers, namespace];
}

const outcomeUnknown =
  "The outcome of this call is unknown: the platform lost its connection after the call was sent. " +
  "It may have taken effect. Check that before you make it again.";

/** Makes those again that are repeatable, because the process that made them has died. `open`: services have accepted these. */
export function repeatRemote(turn: Turn, isUnsent: boolean, open?: ReadonlyMap<string, OpenCall>): void {
  for (const [call, part] of pendingParts(turn)) {
    const target = part && targetOf(turn, part.toolName, asObject(part.args));
    const accepted = open?.get(call.toolCallId);
    if (accepted !== undefined) endRemote(turn, call.toolCallId, accepted);
    else if (part !== undefined && target !== undefined && (call.isRepeatable || isUnsent)) {
      if (!isUnsent) call.isRepeated = true;
      make(turn, part, target);
    } else endRemote(turn, call.toolCallId, { type: "error", error: outcomeUnknown });
  }
}

export const cancelledRemote = "The call was cancelled: the turn has ended. It may have taken effect.";

/** The turn ends while services run its calls. */
export function cancelRemote(turn: Turn): void {
  for (const [{ thread }, part] of pendingParts(turn))
    if (part !== undefined) cancelCall(part, cancelledRemote, showOn(turn, thread));
  delete turn.frame.remoteCalls;
}

function pendingParts(turn: Turn): Array<[PendingRemoteCall, ToolCallPart | undefined]> {
  const { remoteCalls = [] } = turn.frame;
  const ids = remoteCalls.map(({ toolCallId }) => toolCallId);
  const parts = partsById(turn, ids);
  return remoteCalls.map((call) => [call, parts.get(call.toolCallId)?.part]);
}

function showOn(turn: Turn, thread: string | undefined): Show {
  return (event) => emit(turn, event, thread);
}
