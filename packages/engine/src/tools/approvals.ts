import { hash } from "node:crypto";
import {
  type ApprovalRule,
  approvalOf,
  approvalTitle,
  asksFor,
  checkValue,
  type Effort,
  EffortExceededError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownersRule,
  strictest,
  type ValueIssue,
} from "@muster/language";
import { maxPendingCalls, type PendingApproval } from "../boundary/frame.ts";
import type { Decision, RequestedApproval } from "../boundary/machine.ts";
import type { StoredMessage, ToolCallPart } from "../conversation/conversation.ts";
import { asObject, isOfWorker } from "../conversation/messages.ts";
import {
  announceArguments,
  announceWorkerCall,
  cancelCall,
  failCall,
  type Show,
} from "../shown/call-events.ts";
import { toolVisibility } from "../shown/display.ts";
import { emit, messagesOfTurn, type Turn, whereabouts } from "../turn/turn.ts";
import { beginWorker } from "../workers/begin-worker.ts";
import { isSummarizing } from "../workers/library.ts";
import { inputSchemaOfTool } from "./offered-tools.ts";
import { platformToolOf } from "./platform-tools.ts";
import { cancelledRemote, makeCalls } from "./remote-calls.ts";
import { applyOutcome, heldIn, replacementOf } from "./tool-results.ts";

/** For the calls of one step together: their arguments may be large, and the main loop checks them as one piece of work. */
const maxSteps = 500_000;

/**
 * Refuses the calls that must not be made, and keeps back those that need a decision: none of them is `pending`
 * afterwards.
 */
export function holdCalls(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  const show: Show = (event) => emit(turn, event, thread);
  const effort: Effort = { stepsLeft: maxSteps };
  for (const part of calls) {
    if (part.status !== "pending" || platformToolOf(part.toolName) !== undefined) continue;
    const rule = ruleOf(turn, part.toolName);
    if (rule === undefined || rule.mode === "allow") continue;
    const args = asObject(part.args);
    const isCalm = rule.when === "untrusted" && turn.tree.root.conversation.isUntrusted !== true;
    if (rule.mode === "ask" && (isCalm || !needsDecision(turn, rule, part, args, effort))) continue;
    // Users see the card of a block's worker only from its start.
    if (part.source === "block") announceWorkerCall(part, show);
    const problem = problemOf(turn, rule, part);
    if (problem !== undefined) failCall(part, problem, show);
    else keepBack(turn, part, rule, thread);
  }
}

/** A call that would take too long to check waits. */
function needsDecision(
  turn: Turn,
  rule: ApprovalRule,
  part: ToolCallPart,
  args: JsonObject,
  effort: Effort,
): boolean {
  try {
    return asksFor(rule, args, effort) || isOdd(turn, part, effort);
  } catch (error) {
    if (error instanceof EffortExceededError) return true;
    throw error;
  }
}

/** Arguments that break the tool's own schema could avoid a rule: a text is not more than 100, for example. */
function isOdd(turn: Turn, { toolName, args }: ToolCallPart, effort: Effort): boolean {
  const schema = inputSchemaOfTool(turn, toolName);
  const issues: ValueIssue[] = [];
  if (schema !== undefined) checkValue(schema, args, "args", issues, effort);
  return issues.length > 0;
}

/** Why no user is asked; undefined if one is. */
function problemOf(turn: Turn, { mode }: ApprovalRule, { toolName, args }: ToolCallPart): string | undefined {
  if (mode === "deny") return notAllowed(toolName);
  if (turn.tree.root.frame.deniedCalls?.includes(callKey(toolName, args)))
    return "The call was denied: the same call has been denied before in this turn.";
  if (turn.environment.canAsk === false || isSummarizing(turn))
    return `The tool ${JSON.stringify(toolName)} needs a user's approval, which this execution cannot wait for.`;
  if (heldIn(turn) >= maxPendingCalls)
    return `At most ${maxPendingCalls} calls of a turn wait for approval at the same time. Make this call again in the next step.`;
  return undefined;
}

function notAllowed(toolName: string): string {
  return `The tool ${JSON.stringify(toolName)} is not allowed here.`;
}

function keepBack(turn: Turn, part: ToolCallPart, rule: ApprovalRule, thread: string): void {
  const { toolCallId, toolName, args, source } = part;
  const { environment, frame } = turn;
  const id = environment.newId("apr");
  const title = approvalTitle(rule, asObject(args));
  part.approval = { id, status: "pending" };
  const pending: PendingApproval = {
    ...{ approvalId: id, toolCallId, toolName, source },
    ...(title !== undefined && { title }),
    expiresAt: new Date(environment.now() + rule.expiresMs).toISOString(),
    onExpiry: rule.onExpiry,
    ...whereabouts(turn, thread),
  };
  frame.pendingApprovals = [...(frame.pendingApprovals ?? []), pending];
}

/** The strictest of the rules of the definition, of the definitions that replace a worker's tool, and of the owners. */
function ruleOf(turn: Turn, toolName: string): ApprovalRule | undefined {
  const { program, origin, tree, environment } = turn;
  const owners = [tree.root.frame.run?.approvals, environment.ownersApprovals];
  const replacement = replacementOf(origin, toolName);
  return strictest([
    approvalOf(program, toolName),
    ...owners.map((rules) => rules && ownersRule(rules, toolName)),
    origin && replacement !== undefined ? ruleOf(origin.parent, replacement) : undefined,
  ]);
}

export function isHeld({ approval }: ToolCallPart): boolean {
  return approval?.status === "pending";
}

/** Asks about the calls of the turn and of its workers that wait for decisions or answers: they count as running from now on. */
export function requestApprovals({ tree }: Turn): RequestedApproval[] {
  return [tree.root, ...tree.workers.values()].flatMap((turn) =>
    heldCalls(turn).map(({ pending, part }) => {
      part.status = "running";
      const { args, display } = part;
      return { ...pending, args, argumentsHash: argumentsHash(args), display, ...schemaOf(turn, part) };
    }),
  );
}

function schemaOf(turn: Turn, { toolName }: ToolCallPart) {
  const inputSchema = inputSchemaOfTool(turn, toolName);
  return inputSchema === undefined ? {} : { inputSchema };
}

interface HeldCall {
  pending: PendingApproval;
  part: ToolCallPart;
  message: StoredMessage;
}

function heldCalls(turn: Turn): HeldCall[] {
  const { pendingApprovals = [] } = turn.frame;
  const pendings = new Map(pendingApprovals.map((pending) => [pending.toolCallId, pending]));
  return messagesOfTurn(turn).flatMap((message) =>
    message.parts.flatMap((part) => {
      const pending = part.type === "tool-call" ? pendings.get(part.toolCallId) : undefined;
      return part.type === "tool-call" && pending !== undefined ? [{ pending, part, message }] : [];
    }),
  );
}

/**
 * Applies the decisions to the calls that waited: approved ones are to be made, open ones have their outcome, all others have
 * failed. Returns a sentence if the turn has to fail. A call without a decision was not decided in time.
 */
export function applyDecisions(turn: Turn, decisions: ReadonlyMap<string, Decision>): string | undefined {
  const held = heldCalls(turn);
  delete turn.frame.pendingApprovals;
  if (held.length === 0) return undefined;
  turn.decided = held.flatMap(({ pending, part }) => (pending.isOpen ? [] : part));
  let failure: string | undefined;
  for (const call of held) {
    const { pending, part } = call;
    const decision = decisions.get(pending.approvalId) ?? { status: "expired" };
    if (pending.isOpen) answer(turn, call, decision);
    else if (decision.status !== "answered") decide(turn, call, decision, decision.status);
    if (decision.status === "expired" && pending.onExpiry === "fail")
      failure ??= `${nameOf(part)} was not decided in time.`;
  }
  turn.tree.root.frame.worthSaving = true;
  return failure;
}

/** Every user of the turn reads why it failed. */
function nameOf({ toolName, display }: ToolCallPart): string {
  return toolVisibility[display].name ? `The call of ${JSON.stringify(toolName)}` : "A call";
}

/** The service has answered the call, or did not in time. */
function answer(turn: Turn, { pending, part, message }: HeldCall, { outcome = unanswered }: Decision): void {
  applyOutcome(turn, { part, message }, outcome, (event) => emit(turn, event, pending.thread));
  turn.answered = [...turn.answered, part];
}

const unanswered = {
  type: "error",
  error: "The service accepted the call, but did not answer it in time; the call may have taken effect.",
} as const;

function decide(
  turn: Turn,
  { pending, part }: HeldCall,
  decision: Decision,
  status: NonNullable<ToolCallPart["approval"]>["status"] & Decision["status"],
): void {
  const { decidedAt, message } = decision;
  const show: Show = (event) => emit(turn, event, pending.thread);
  part.approval = {
    ...{ id: pending.approvalId, status },
    ...(decidedAt !== undefined && { decidedAt }),
    ...(message !== undefined && { message }),
  };
  if (status === "approved") {
    if (decision.args !== undefined) {
      part.args = decision.args;
      announceArguments(part, show);
    }
    // The rules may have become stricter while the call waited.
    if (ruleOf(turn, part.toolName)?.mode === "deny") failCall(part, notAllowed(part.toolName), show);
    return;
  }
  const { frame } = turn.tree.root;
  if (status === "denied")
    frame.deniedCalls = [...(frame.deniedCalls ?? []), callKey(part.toolName, part.args)];
  failCall(part, failureText(status, message), show);
}

function failureText(status: "denied" | "expired", message: string | undefined): string {
  if (status === "expired") return "The call was not made: no user approved it in time.";
  return message === undefined ? "The call was denied." : `The call was denied: ${message}`;
}

/** Makes the calls that have just been approved. Those of a block are all on its thread. */
export function makeApproved(turn: Turn): void {
  const { decided = [] } = turn;
  delete turn.decided;
  if (decided.length === 0) return;
  const thread = turn.blocks[turn.frame.blockIndex]?.thread;
  if (thread === undefined) return;
  const approved = decided.filter(({ status }) => status === "running");
  for (const part of approved.filter(isOfWorker)) {
    const obstacle = beginWorker(turn, part, thread);
    if (obstacle !== undefined) failCall(part, obstacle.problem, (event) => emit(turn, event, thread));
  }
  makeCalls(
    turn,
    approved.filter((part) => !isOfWorker(part)),
    thread,
  );
}

/** The turn ends while calls wait for decisions. */
export function cancelHeld(turn: Turn): void {
  for (const { pending, part } of heldCalls(turn)) {
    const show: Show = (event) => emit(turn, event, pending.thread);
    if (!pending.isOpen) part.approval = { id: pending.approvalId, status: "cancelled" };
    cancelCall(part, pending.isOpen ? cancelledRemote : "The call was cancelled: the turn has ended.", show);
  }
  delete turn.frame.pendingApprovals;
}

function callKey(toolName: string, args: JsonValue): string {
  return `${toolName} ${argumentsHash(args)}`;
}

/** The SHA-256 of the arguments as JSON with sorted keys, in hexadecimal digits. */
export function argumentsHash(args: JsonValue): string {
  return hash("sha256", canonicalJson(args), "hex");
}

function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, member: JsonValue) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
