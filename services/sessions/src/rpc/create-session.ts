import { create } from "@bufbuild/protobuf";
import { CreateSessionResponseSchema } from "@muster/proto/sessions";
import { forbidden, Issues, isWorkforce } from "@muster/rpc";
import { driverOf } from "../input/caller.ts";
import { chatSessionId, readChat } from "../input/chat.ts";
import { readNewSession, readThread } from "../input/new-session.ts";
import { assertMayOpen, newDocument, openAgent, openHiddenSession } from "../turns/open/new-document.ts";
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
  issues.refuse();
  if (thread !== undefined) {
    await openHiddenSession(context.hidden, caller, session, thread, call);
    return create(CreateSessionResponseSchema, { sessionId: thread.sessionId });
  }
  assertMayOpen(caller, session.agent);
  const agent = await openAgent(context, caller, session.agent, call);
  const sessionId = chat === undefined ? context.newId("ses") : chatSessionId(agent, session.subject, chat);
  await context.store.insert(await newDocument(context, agent, session, sessionId));
  return create(CreateSessionResponseSchema, { sessionId });
};
