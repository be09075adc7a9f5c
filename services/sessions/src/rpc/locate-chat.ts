import { create } from "@bufbuild/protobuf";
import { LocateChatResponseSchema } from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { assertAgent, driverOf } from "../input/caller.ts";
import { chatSessionId, readChat } from "../input/chat.ts";
import { readNewSession } from "../input/new-session.ts";
import type { Handler } from "./handler.ts";

export const locateChat: Handler<"locateChat"> = async (context, request, call) => {
  const caller = driverOf(call);
  const issues = new Issues();
  const named = { ...request, inputJson: "", metadataJson: "" };
  const { agent, subject } = await readNewSession(issues, named, caller);
  const chat = readChat(issues, request.chatId, caller);
  issues.refuse();
  const { projectId } = caller;
  const agentId = await context.programs.idOf(agent, projectId, call);
  assertAgent(caller, agentId);
  const sessionId = caller.sessionId ?? chatSessionId({ projectId, agentId }, subject, chat);
  return create(LocateChatResponseSchema, { sessionId });
};
