import { hash as hashOf } from "node:crypto";
import { type Idempotency, keyInProgress, keyReused } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { checkFiles } from "../input/check-files.ts";
import {
  agentPaused,
  inboxFull,
  queueFull,
  threadClosed,
  unknownAgent,
  unknownThread,
} from "../store/refusals.ts";
import { keyOfThread, type Offer, type ThreadDocument, type ThreadKey } from "../store/thread-document.ts";
import { append, maxInbox, offer } from "../store/thread-moves.ts";
import { isFinal } from "../store/thread-transitions.ts";
import { findReachedLimit, limitRefusal } from "../views/check-limits.ts";
import { acceptThread } from "./acceptance.ts";
import { recordingFor, runBefore } from "./recording-for.ts";
import type { MessageCommand } from "./start-request.ts";

export interface FollowedUp {
  thread: ThreadDocument;
  /** The key was used before, with the same request. */
  replayed: boolean;
}

/** Other follow-ups to the same thread can win that often. */
const maxTries = 20;

/**
 * Adds a message to a thread: behind its current turn if it has work, otherwise as work of the agent again. A refused one
 * changes nothing.
 */
export async function followUp(
  context: WorkforceContext,
  key: ThreadKey,
  { text, files, idempotency, keyId, isForeign }: MessageCommand,
): Promise<FollowedUp> {
  const first = await context.threads.find(key);
  if (!first?.accepted) throw unknownThread();
  if (isReplay(first, idempotency)) return { thread: first, replayed: true };
  await checkFiles(context, key, files);
  const agent = await context.agents.find(key);
  if (agent === null) throw unknownAgent();
  if (agent.paused) throw agentPaused();
  if (first.closed) throw threadClosed();
  const limit = await findReachedLimit(context, agent);
  if (limit !== undefined) throw limitRefusal(limit);

  const sender = { ...(keyId !== undefined && { keyId }), ...(isForeign && { isForeign }) };
  const message = { id: context.newId("msg"), text, files, ...sender, at: new Date(context.clock.now()) };
  const made: Offer = { message, ...(idempotency && { entry: followUpEntry(idempotency) }) };
  for (let tries = 0; tries < maxTries; tries++) {
    const thread = tries === 0 ? first : await context.threads.find(key);
    if (thread === null) throw unknownThread();
    if (isReplay(thread, idempotency)) return { thread, replayed: true };
    const taken = isFinal(thread.status)
      ? await reopened(context, thread, made)
      : await appended(context, thread, made);
    if (taken !== null) return { thread: taken, replayed: false };
  }
  throw inboxFull();
}

/** Throws if the key was used for another message, or for one that is not accepted yet. */
function isReplay(
  { followUpKeys, offer: open }: ThreadDocument,
  idempotency: Idempotency | undefined,
): boolean {
  if (idempotency === undefined) return false;
  const used = findFollowUp(followUpKeys, idempotency);
  if (used === "other") throw keyReused();
  const offered = open?.entry === undefined ? undefined : findFollowUp([open.entry], idempotency);
  if (offered === "other") throw keyReused();
  if (offered === "same") throw keyInProgress();
  return used === "same";
}

/** How a thread remembers the key of a follow-up, however long the key is: two hashes. */
function followUpEntry({ key, hash }: Idempotency): string {
  return `${prefixOf(key)}${hash}`;
}

/** Undefined: the key was not used. */
function findFollowUp(entries: readonly string[], { key, hash }: Idempotency): "same" | "other" | undefined {
  const prefix = prefixOf(key);
  const entry = entries.find((candidate) => candidate.startsWith(prefix));
  if (entry === undefined) return undefined;
  return entry === `${prefix}${hash}` ? "same" : "other";
}

function prefixOf(key: string): string {
  return `${hashOf("sha256", key, "base64url").slice(0, 22)}:`;
}

/** Null: the thread has ended meanwhile. */
async function appended(
  { threads, wakeUps }: WorkforceContext,
  thread: ThreadDocument,
  { message, entry }: Offer,
): Promise<ThreadDocument | null> {
  if (thread.inbox.length >= maxInbox) throw inboxFull();
  const key = keyOfThread(thread);
  const taken = await threads.move(key, append(message, entry));
  if (taken !== null) wakeUps.threadChanged(key);
  return taken;
}

/** Null: another follow-up was first. */
async function reopened(
  context: WorkforceContext,
  thread: ThreadDocument,
  made: Offer,
): Promise<ThreadDocument | null> {
  if (thread.closed) throw threadClosed();
  const key = keyOfThread(thread);
  // The process that made the other offer may have died: it is completed here.
  const mine =
    thread.offer === null
      ? await context.threads.move(
          key,
          offer(withRecording(context, thread, made), new Date(context.clock.now())),
        )
      : null;
  const offered = mine ?? (await context.threads.find(key));
  if (offered?.offer == null) return null;
  const outcome = await acceptThread(context, offered);
  if (outcome.accepted) context.wakeUps.threadChanged(key);
  if (mine === null) return null;
  if (outcome.accepted) return outcome.thread;
  switch (outcome.refusal) {
    case "gone":
      throw unknownAgent();
    case "paused":
      throw agentPaused();
    case "full":
    case "busy":
      throw queueFull();
  }
}

/** The run that the message begins has a recording of its own. */
function withRecording(context: WorkforceContext, thread: ThreadDocument, made: Offer): Offer {
  const recording = recordingFor(context, thread.config);
  const earlierRun = runBefore(thread);
  return { ...made, ...(recording && { recording }), ...(earlierRun && { earlierRun }) };
}
