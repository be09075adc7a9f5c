import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type GetSessionRequest,
  type GetSessionResponse,
  GetSessionResponseSchema,
  View,
} from "@muster/proto/sessions";
import type { Conversation } from "../engine/conversation/conversation.ts";
import { settle } from "../engine/conversation/settle.ts";
import { toUiMessages } from "../engine/shown/ui-messages.ts";
import { driverOf, found, keyFor } from "../input/access.ts";
import { isExpired, isLocked, readConversation, type SessionDocument } from "../store/session-document.ts";
import type { Handler } from "./handler.ts";

export const getSession: Handler<GetSessionRequest, GetSessionResponse> = async (context, request, call) => {
  const key = keyFor(driverOf(call), request.sessionId);
  const session = found(key, await context.store.find(key));
  const nowMs = context.clock.now();
  return create(GetSessionResponseSchema, {
    session: {
      id: session._id,
      agentId: session.agentId,
      createTime: timestampFromDate(session.createdAt),
      ...(isExpired(session, nowMs)
        ? { active: false }
        : activeFields(session, request.view, isLocked(session, nowMs, context.onlyHolder))),
    },
  });
};

function activeFields(session: SessionDocument, view: View, isRunning: boolean) {
  const conversation = conversationNow(session, isRunning);
  const shared = {
    active: true,
    messagesJson: JSON.stringify(toUiMessages(conversation, { view: view === View.UI ? "ui" : "full" })),
    updateTime: timestampFromDate(session.updatedAt),
  };
  if (view === View.UI) return shared;
  return {
    ...shared,
    inputJson: session.input ?? "{}",
    variablesJson: JSON.stringify(conversation.variables),
    resourcesJson: JSON.stringify(conversation.resources),
  };
}

/** A turn that a dead holder left unfinished appears as the next trigger would find it. */
function conversationNow(session: SessionDocument, isRunning: boolean): Conversation {
  const conversation = readConversation(session);
  const isLeft = session.execution?.state === "running" && !isRunning;
  return isLeft ? settle(conversation) : conversation;
}
