import { mainThread, newConversation, type StoredMessage } from "@muster/engine";
import type { InteractiveProgram, ThreadConfig } from "@muster/language";
import type { SessionsContext } from "../../context.ts";
import { sweepAfter } from "../../conversations/history/sweep.ts";
import { found } from "../../input/caller.ts";
import type { SessionKey } from "../../store/moves.ts";
import { assertStorable } from "../../store/refusals/unavailable.ts";
import {
  type ConversationFields,
  inDocument,
  isExpired,
  type SessionDocument,
} from "../../store/session-document.ts";

/** A conversation that a caller has kept. */
interface KeptConversation {
  program: InteractiveProgram;
  messages: StoredMessage[];
  /** JSON of the session's input. */
  input: string;
}

/**
 * The conversation as a session's document contains it. `announce` is called before anything is stored outside the document,
 * which must exist then. Throws TOO_LARGE.
 */
async function prepared(
  context: SessionsContext,
  key: SessionKey,
  { program, messages, input }: KeptConversation,
  announce: () => Promise<void>,
): Promise<ConversationFields> {
  boundCalls(messages, program.agent);
  const conversation = newConversation(program, messages);
  assertStorable(context, { input, ...inDocument(conversation) });
  return context.histories.prepare(key, conversation, announce);
}

/** Makes an expired session active. False: it was active. */
export async function restoreConversation(
  context: SessionsContext,
  key: SessionKey,
  session: SessionDocument,
  kept: KeptConversation,
): Promise<boolean> {
  const fields = await prepared(context, key, kept, () =>
    context.store.requestSweep(key, sweepAfter(context.clock.now())),
  );
  return activate(context, key, session, { ...fields, input: kept.input });
}

/** Inserts a session whose conversation has begun elsewhere. */
export async function insertWithConversation(
  context: SessionsContext,
  document: SessionDocument,
  kept: Omit<KeptConversation, "input">,
): Promise<void> {
  const { _id: sessionId, projectId } = document;
  const key = { sessionId, projectId };
  const input = document.input ?? "{}";
  let expired: SessionDocument | undefined;
  const fields = await prepared(context, key, { ...kept, input }, async () => {
    const now = new Date(context.clock.now());
    expired = { ...document, expiresAt: now, sweepAt: sweepAfter(now.getTime()) };
    await context.store.insert(expired);
  });
  if (expired === undefined) await context.store.insert({ ...document, ...fields });
  else await activate(context, key, expired, { ...fields, input });
}

async function activate(
  context: SessionsContext,
  key: SessionKey,
  session: SessionDocument,
  fields: ConversationFields & { input: string },
): Promise<boolean> {
  const nowMs = context.clock.now();
  const state = { ...fields, expiresAt: context.expiryFrom(nowMs), sweepAt: sweepAfter(nowMs) };
  // A sweep may have raised the epoch meanwhile.
  for (let expired = session; ; expired = found(key, await context.store.find(key))) {
    if (!isExpired(expired, context.clock.now())) return false;
    if (await context.store.restore(key, expired.epoch, state, new Date(nowMs))) return true;
  }
}

/** A caller may have kept more than users of this definition see. Named threads have no settings yet. */
function boundCalls(messages: readonly StoredMessage[], { maxToolOutputTokens }: ThreadConfig): void {
  if (maxToolOutputTokens === undefined) return;
  for (const { thread, parts } of messages) {
    if (thread !== mainThread) continue;
    for (const part of parts) if (part.type === "tool-call") part.maxToolOutputTokens = maxToolOutputTokens;
  }
}
