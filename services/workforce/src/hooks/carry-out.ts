import { hash } from "node:crypto";
import {
  checkValue,
  EffortExceededError,
  type JsonObject,
  type JsonValue,
  type ValueIssue,
} from "@muster/language";
import { keyInProgress, Reason, readRpcError } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { followUp } from "../dispatch/follow-up.ts";
import { type OwnMessage, ownFollowUp, ownStart } from "../dispatch/start-request.ts";
import { mayPass, startThread } from "../dispatch/start-thread.ts";
import { isPassing } from "../runs/driver/call-service.ts";
import type { HookOutcome, ListedHookDelivery } from "../store/hook-delivery-store.ts";
import type { HookDeliveryDocument, HookDocument } from "../store/hook-document.ts";
import { keyOfThread } from "../store/thread-document.ts";
import { FillProblem, fillTemplate } from "./fill-template.ts";
import { parseBody } from "./read-body.ts";

/** A delivery whose agent takes no messages fails after this. */
const maxWaitMs = 3_600_000;
const retryMs = { first: 1_000, last: 60_000 };
/** About 30 ms. */
const maxSteps = 300_000;
const maxReasonLength = 500;
/** The threads of one key, each of which began when the one before could take no more messages. */
const maxThreads = 1_000;

/**
 * Makes a message of a stored delivery, unless another instance does. Each step may happen again: the message has the
 * delivery's own key, so that it is dispatched once.
 */
export async function carryOut(context: WorkforceContext, listed: ListedHookDelivery): Promise<void> {
  const { hookDeliveries, clock, instance, onlyHolder, timings } = context;
  const takenAt = new Date(clock.now());
  const lease = { holder: instance, until: new Date(takenAt.getTime() + timings.leaseMs) };
  const delivery = await hookDeliveries.take(listed, lease, takenAt, onlyHolder);
  if (delivery === null) return;
  try {
    await settle(context, delivery, await dispatched(context, delivery));
  } catch (error) {
    await repeatOrFail(context, delivery, error);
  }
}

async function settle(
  { hookDeliveries, clock, metrics }: WorkforceContext,
  delivery: HookDeliveryDocument,
  outcome: HookOutcome,
): Promise<void> {
  await hookDeliveries.settle(delivery, outcome, new Date(clock.now()));
  metrics?.count("muster_hook_deliveries_total", { outcome: outcome.status });
}

/** Rejects with the error if only the platform can be its cause. */
async function repeatOrFail(
  context: WorkforceContext,
  delivery: HookDeliveryDocument,
  error: unknown,
): Promise<void> {
  const { hookDeliveries, clock } = context;
  const failure = readRpcError(error);
  const message = error instanceof FillProblem ? error.message : failure.message;
  const isUnexpected = failure.reason === Reason.UNSPECIFIED && !(error instanceof FillProblem);
  const { triedSince = new Date(clock.now()) } = delivery;
  const ageMs = clock.now() - triedSince.getTime();
  // An outage of the platform ends at some time, and loses no event.
  const isOver = ageMs > maxWaitMs && !isPassing(failure);
  if ((!isUnexpected && !mayPass(failure)) || isOver) {
    await settle(context, delivery, { status: "failed", reason: message.slice(0, maxReasonLength) });
    return;
  }
  const { retryAfterMs = 0 } = failure;
  const delayMs = Math.min(Math.max(ageMs / 2, retryMs.first, retryAfterMs), retryMs.last);
  await hookDeliveries.postpone(delivery, new Date(clock.now() + delayMs), triedSince, message);
  if (isUnexpected) throw error;
}

async function dispatched(context: WorkforceContext, delivery: HookDeliveryDocument): Promise<HookOutcome> {
  const { projectId, agentId, hookId, _id } = delivery;
  const hook = await context.hooks.find({ projectId, agentId, hookId });
  if (hook === null) return { status: "failed", reason: "The hook was deleted." };
  const body = await parseBody(delivery.body);
  const unmet = hook.filter && unmetBy(body, hook.filter);
  if (unmet !== undefined) return { status: "filtered", reason: unmet.slice(0, maxReasonLength) };
  const message: OwnMessage = {
    origin: { kind: "hook", id: hookId },
    occurrence: _id,
    text: fillTemplate(hook.message, body),
  };
  const threadKey = hook.threadKey === undefined ? "" : fillTemplate(hook.threadKey, body).trim();
  const threadId =
    threadKey === ""
      ? (await startThread(context, { projectId, agentId }, ownStart(message, hook.config))).thread._id
      : await inThreadOf(context, hook, threadKey, message);
  return { status: "dispatched", threadId };
}

/** A sentence that says what the filter misses; undefined if the body fits. Throws FillProblem if the check would take too long. */
function unmetBy(body: JsonValue, filter: JsonObject): string | undefined {
  const issues: ValueIssue[] = [];
  try {
    checkValue(filter, body, "body", issues, { stepsLeft: maxSteps });
  } catch (error) {
    if (!(error instanceof EffortExceededError)) throw error;
    throw new FillProblem("The filter takes too many steps for this body.");
  }
  return issues[0]?.message;
}

/** The thread of the key, which the message begins if it is the first. Another one follows if that takes no more messages. */
async function inThreadOf(
  context: WorkforceContext,
  { projectId, agentId, config }: HookDocument,
  threadKey: string,
  message: OwnMessage,
): Promise<string> {
  const agent = { projectId, agentId };
  for (let number = 1; number <= maxThreads; number++) {
    const occurrence = `thread ${hash("sha256", threadKey)} ${number}`;
    const first = ownStart({ ...message, occurrence, hash: message.occurrence }, config);
    try {
      return (await startThread(context, agent, first)).thread._id;
    } catch (error) {
      if (readRpcError(error).reason !== Reason.IDEMPOTENCY_KEY_REUSED) throw error;
    }
    const thread = await context.threads.findByIdempotencyKey(agent, first.idempotency?.key ?? "");
    // The message that begins it has not been accepted yet, or was refused.
    if (!thread?.accepted) throw keyInProgress();
    try {
      return (await followUp(context, keyOfThread(thread), ownFollowUp(message))).thread._id;
    } catch (error) {
      if (readRpcError(error).reason !== Reason.THREAD_CLOSED) throw error;
    }
  }
  throw new FillProblem("The threads of this thread key accept no more messages.");
}
