import { create } from "@bufbuild/protobuf";
import { CreateSessionResponseSchema } from "@muster/proto/sessions";
import { forbidden, Issues, isWorkforce } from "@muster/rpc";
import { problemOfUrl } from "@muster/storage/files";
import { driverOf } from "../input/caller.ts";
import { chatSessionId, readChat } from "../input/chat.ts";
import { readNewSession, readThread } from "../input/new-session.ts";
import { readMessages } from "../input/read-messages.ts";
import { referenceCheck } from "../turns/begin/assert-files.ts";
import { assertMayOpen, newDocument, openAgent, openHiddenSession } from "../turns/open/new-document.ts";
import { insertWithConversation } from "../turns/open/restore-conversation.ts";
import type { Handler } from "./handler.ts";

const onlyWorkforce = "Only the workforce service opens sessions of workforce threads.";
const notWorkforce = "The workforce service opens no sessions but those of its threads.";

export const createSession: Handler<"createSession"> = async (context, request, call) => {
  const caller = driverOf(call);
  const isHidden = request.workforce !== undefined;
  if (isHidden !== isWorkforce(caller)) throw forbidden(isHidden ? onlyWorkforce : notWorkforce);
  const issues = new Issues();
  const session = await readNewSession(issues, request, caller);
  const thread = readThread(issues, request.workforce);
  const chat = request.chatId === "" ? undefined : readChat(issues, request.chatId, caller);
  // No caller can have uploaded a file for a session that does not exist.
  const check = referenceCheck(context, { projectId: caller.projectId, ownerIds: [] });
  const messages = await readMessages(issues, request.messagesJson, {
    problemOfUrl: (url) => problemOfUrl(check, url),
  });
  if (messages.length > 0 && (chat !== undefined || thread !== undefined))
    issues.add("messages", "must be absent: the session may exist already");
  if (request.agentVersion !== 0 && request.agentSlug === "")
    issues.add("agentVersion", "must be combined with agentSlug");
  issues.refuse();
  if (thread !== undefined) {
    await openHiddenSession(context.hidden, caller, session, thread, call);
    return create(CreateSessionResponseSchema, { sessionId: thread.sessionId });
  }
  assertMayOpen(caller, session.agent);
  const agent = await openAgent(context, caller, session.agent, call, request.agentVersion || undefined);
  const sessionId = chat === undefined ? context.newId("ses") : chatSessionId(agent, session.subject, chat);
  const document = await newDocument(context, agent, session, sessionId);
  if (messages.length === 0) await context.store.insert(document);
  else await insertWithConversation(context, document, { program: agent.program, messages });
  return create(CreateSessionResponseSchema, { sessionId });
};
