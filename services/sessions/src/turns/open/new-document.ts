import { newConversation } from "@muster/engine";
import type { SessionsContext } from "../../context.ts";
import { newHead } from "../../conversations/history/head.ts";
import { checkedInput } from "../../input/fields.ts";
import { filesIn } from "../../input/file-values.ts";
import type { NewSession } from "../../input/new-session.ts";
import { assertStorable } from "../../store/refusals/unavailable.ts";
import { inDocument, type SessionDocument } from "../../store/session-document.ts";
import { assertFiles } from "../begin/assert-files.ts";
import type { OpenAgent } from "./open-agent.ts";

/** The document of a session that has not been used yet. Throws INVALID_INPUT or TOO_LARGE. */
export async function newDocument(
  context: SessionsContext,
  { program, ...agent }: OpenAgent,
  { input: given, metadata }: NewSession,
  sessionId: string,
): Promise<SessionDocument> {
  const values = checkedInput(program.input, given);
  // No caller can have uploaded a file for a session that does not exist.
  await assertFiles(context, { projectId: agent.projectId, ownerIds: [] }, filesIn(program.input, values));
  const input = JSON.stringify(values);
  const conversation = inDocument(newConversation(program));
  assertStorable(context, { input, ...conversation });
  const nowMs = context.clock.now();
  return {
    _id: sessionId,
    ...agent,
    status: "active",
    input,
    head: [...newHead(context.newId)],
    ...conversation,
    title: null,
    messageCount: 0,
    ...(metadata.length > 0 && { metadata }),
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
    expiresAt: context.expiryFrom(nowMs),
    epoch: 0,
    lease: null,
    execution: null,
  };
}
