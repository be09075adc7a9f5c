import { create } from "@bufbuild/protobuf";
import { mainThread, newConversation, type StoredMessage } from "@muster/engine";
import type { ThreadConfig } from "@muster/language";
import { type RestoreSessionResponse, RestoreSessionResponseSchema } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { problemOfUrl } from "@muster/storage/files";
import { sweepAfter } from "../conversations/history/sweep.ts";
import { driverOf, found, keyFor } from "../input/caller.ts";
import { readMessages } from "../input/read-messages.ts";
import { checkedInput, filesIn, readObject } from "../input/values.ts";
import { assertStorable } from "../store/refusals/unavailable.ts";
import { fileOwnerOf, inDocument, isExpired } from "../store/session-document.ts";
import { assertFiles, referenceCheck } from "../turns/begin/assert-files.ts";
import type { Handler } from "./handler.ts";

export const restoreSession: Handler<"restoreSession"> = async (context, request, call) => {
  const key = keyFor(driverOf(call), request.sessionId);
  const issues = new Issues();
  const given = await readObject(issues, "input", request.inputJson);
  const { projectId, sessionId } = key;
  const check = referenceCheck(context, { projectId, ownerIds: [sessionId] });
  const messages = await readMessages(issues, request.messagesJson, {
    problemOfUrl: (url) => problemOfUrl(check, url),
  });
  issues.refuse();
  const session = found(key, await context.store.find(key));
  if (!isExpired(session, context.clock.now())) return answer(false);
  const program = await context.programs.pinned(session, "interactive", call);
  const values = checkedInput(program.input, given);
  await assertFiles(context, fileOwnerOf(session), filesIn(program.input, values));
  const input = JSON.stringify(values);
  boundCalls(messages, program.agent);
  const conversation = newConversation(program, messages);
  assertStorable(context, { input, ...inDocument(conversation) });
  const fields = await context.histories.prepare(key, conversation, () =>
    context.store.requestSweep(key, sweepAfter(context.clock.now())),
  );
  const nowMs = context.clock.now();
  const state = { ...fields, input, expiresAt: context.expiryFrom(nowMs), sweepAt: sweepAfter(nowMs) };
  // A sweep may have raised the epoch meanwhile.
  for (let expired = session; ; expired = found(key, await context.store.find(key))) {
    if (!isExpired(expired, context.clock.now())) return answer(false);
    if (await context.store.restore(key, expired.epoch, state, new Date(nowMs))) return answer(true);
  }
};

/** A caller may have kept more than users of this definition see. Named threads have no settings yet. */
function boundCalls(messages: readonly StoredMessage[], { maxToolOutputTokens }: ThreadConfig): void {
  if (maxToolOutputTokens === undefined) return;
  for (const { thread, parts } of messages) {
    if (thread !== mainThread) continue;
    for (const part of parts) if (part.type === "tool-call") part.maxToolOutputTokens = maxToolOutputTokens;
  }
}

function answer(restored: boolean): RestoreSessionResponse {
  return create(RestoreSessionResponseSchema, { restored });
}
