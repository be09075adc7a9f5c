import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type GetSessionRequest,
  type GetSessionResponse,
  GetSessionResponseSchema,
  View,
} from "@muster/proto/sessions";
import type { SessionsContext } from "../context.ts";
import { driverOf, found, keyFor } from "../input/access.ts";
import { isExpired, isLocked, type SessionDocument } from "../store/session-document.ts";
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
        : await activeFields(context, session, request.view, nowMs)),
    },
  });
};

async function activeFields(context: SessionsContext, session: SessionDocument, view: View, nowMs: number) {
  const isUi = view === View.UI;
  const isRunning =
    isLocked(session, nowMs, context.onlyHolder) ||
    context.executions.runsOf(session._id).includes(session.lease?.runId ?? "");
  const { messagesJson, variablesJson, resourcesJson } = await context.reader.show({
    archived: await context.histories.archivedTexts(session),
    stored: {
      tail: session.tail,
      memory: session.memory,
      ...(session.conversation !== undefined && { conversation: session.conversation }),
    },
    view: isUi ? "ui" : "full",
    isLeft: session.execution?.state === "running" && !isRunning,
  });
  const shared = { active: true, messagesJson, updateTime: timestampFromDate(session.updatedAt) };
  return isUi ? shared : { ...shared, inputJson: session.input ?? "{}", variablesJson, resourcesJson };
}
