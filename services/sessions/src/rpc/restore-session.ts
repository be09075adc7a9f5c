import { create } from "@bufbuild/protobuf";
import {
  type RestoreSessionRequest,
  type RestoreSessionResponse,
  RestoreSessionResponseSchema,
} from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { newConversation } from "../engine/conversation/new-conversation.ts";
import { driverOf, found, keyFor } from "../input/access.ts";
import { checkedInput } from "../input/checked-input.ts";
import { readObject } from "../input/fields.ts";
import { readMessages } from "../input/messages.ts";
import { assertStorable } from "../refusals/too-large.ts";
import { isExpired } from "../store/session-document.ts";
import type { Handler } from "./handler.ts";

export const restoreSession: Handler<RestoreSessionRequest, RestoreSessionResponse> = async (
  context,
  request,
  call,
) => {
  const key = keyFor(driverOf(call), request.sessionId);
  const issues = new Issues();
  const given = await readObject(issues, "input", request.inputJson);
  const messages = await readMessages(issues, request.messagesJson);
  issues.refuse();
  const session = found(key, await context.store.find(key));
  if (!isExpired(session, context.clock.now())) return answer(false);
  const program = await context.programs.pinned(session, "interactive", call);
  const state = {
    input: JSON.stringify(checkedInput(program.input, given)),
    conversation: JSON.stringify(newConversation(program, messages)),
  };
  assertStorable(context, state);
  const nowMs = context.clock.now();
  const expiresAt = context.expiryFrom(nowMs);
  return answer(await context.store.restore(key, { ...state, expiresAt }, new Date(nowMs)));
};

function answer(restored: boolean): RestoreSessionResponse {
  return create(RestoreSessionResponseSchema, { restored });
}
