import { create } from "@bufbuild/protobuf";
import {
  type CreateSessionRequest,
  type CreateSessionResponse,
  CreateSessionResponseSchema,
} from "@muster/proto/sessions";
import { Issues } from "@muster/rpc";
import { driverOf } from "../input/access.ts";
import { readNewSession } from "../input/new-session.ts";
import { newDocument } from "../start/new-document.ts";
import { assertMayOpen, openAgent } from "../start/open-agent.ts";
import type { Handler } from "./handler.ts";

export const createSession: Handler<CreateSessionRequest, CreateSessionResponse> = async (
  context,
  request,
  call,
) => {
  const caller = driverOf(call);
  const issues = new Issues();
  const session = await readNewSession(issues, request);
  issues.refuse();
  assertMayOpen(caller, session.agent);
  const agent = await openAgent(context, caller, session.agent, call);
  const sessionId = context.newId("ses");
  await context.store.insert(newDocument(context, agent, session, sessionId));
  return create(CreateSessionResponseSchema, { sessionId });
};
