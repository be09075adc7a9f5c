import { create } from "@bufbuild/protobuf";
import {
  type CreateSessionRequest,
  type CreateSessionResponse,
  CreateSessionResponseSchema,
} from "@muster/proto/sessions";
import { forbidden, Issues, invalidRequest } from "@muster/rpc";
import { type AgentName, isOf } from "../agents/programs.ts";
import { newConversation } from "../engine/conversation/new-conversation.ts";
import { newHead } from "../history/turn-history.ts";
import { assertAgent, driverOf } from "../input/access.ts";
import { checkedInput } from "../input/checked-input.ts";
import { checkId, readObject } from "../input/fields.ts";
import { readMetadata } from "../input/metadata.ts";
import { assertStorable } from "../refusals/too-large.ts";
import { toEntries } from "../store/metadata.ts";
import { inDocument } from "../store/session-document.ts";
import type { Handler } from "./handler.ts";

export const createSession: Handler<CreateSessionRequest, CreateSessionResponse> = async (
  context,
  request,
  call,
) => {
  const caller = driverOf(call);
  if (caller.sessionId !== undefined) {
    throw forbidden("This credential is valid for one session and cannot create others.");
  }
  const issues = new Issues();
  const name = readName(issues, request);
  const given = await readObject(issues, "input", request.inputJson);
  const metadata = toEntries(await readMetadata(issues, request.metadataJson));
  issues.refuse();
  if ("agentId" in name) assertAgent(caller, name.agentId);
  const { program, agentId, agentVersion } = await context.programs.latest(
    name,
    caller.projectId,
    call,
    "This agent is archived and accepts no new sessions.",
  );
  assertAgent(caller, agentId);
  if (!isOf(program, "interactive")) {
    throw invalidRequest(
      "agentId" in name ? "agentId" : "agentSlug",
      "must be an interactive agent; workers are executed instead",
    );
  }
  const input = JSON.stringify(checkedInput(program.input, given));
  const conversation = inDocument(newConversation(program));
  assertStorable(context, { input, ...conversation });
  const nowMs = context.clock.now();
  const sessionId = context.newId("ses");
  await context.store.insert({
    _id: sessionId,
    projectId: caller.projectId,
    agentId,
    agentVersion,
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
  });
  return create(CreateSessionResponseSchema, { sessionId });
};

/** The agent, named by exactly one of id and slug. */
function readName(issues: Issues, { agentId, agentSlug }: CreateSessionRequest): AgentName {
  if (agentSlug === "") {
    checkId(issues, "agentId", agentId);
    return { agentId };
  }
  checkId(issues, "agentSlug", agentSlug);
  if (agentId !== "") issues.add("agentSlug", "cannot be combined with agentId");
  return { slug: agentSlug };
}
