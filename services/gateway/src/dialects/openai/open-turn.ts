import { DisconnectPolicy } from "@muster/proto/sessions";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../auth/identity.ts";
import { callFor, type GatewayContext } from "../../context.ts";
import { triggerErrors } from "../../routes/sessions/trigger-session.ts";
import type { OpenSource } from "../../streams/relay.ts";
import type { TurnBatch } from "../../streams/turn-collector.ts";
import { messageInput, turnOf } from "../chat-turn.ts";
import { agentOfModel } from "./agent-of-model.ts";
import { type Beginning, type Continuation, storedMessages } from "./conversation.ts";
import type { toTool } from "./request-schemas.ts";

/** The codes of refusals, besides those of every route. */
export const turnErrors = [...triggerErrors, "AGENT_ARCHIVED"] as const;

/** The limit of every trigger. */
export const bodyLimitBytes = 10 * 1024 * 1024;

/** The contents of a request. */
export interface Wanted {
  model: string;
  request: Beginning | Continuation;
  /** The session that the client names. Absent: that of its token, or a new one. */
  sessionId?: string | undefined;
  /** The last message to keep. Absent: all. */
  rollbackAfterMessageId?: string | undefined;
  tools?: ReturnType<typeof toTool>[];
  /** The turn keeps running if the client leaves. */
  isDetached?: boolean;
}

/** A turn that begins or continues once it is opened, and its session. */
export interface OpenedTurn {
  sessionId: string;
  open: OpenSource<TurnBatch>;
}

/** Creates the session if the client names none, with the conversation that it sends. A known one keeps its agent. */
export async function openTurn(
  context: GatewayContext,
  request: FastifyRequest,
  { model, request: wanted, rollbackAfterMessageId, tools = [], isDetached = false, ...named }: Wanted,
): Promise<OpenedTurn> {
  const agent = agentOfModel(model);
  const settings = {
    usage: true,
    wantsResult: true,
    onDisconnect: isDetached ? DisconnectPolicy.CONTINUE : DisconnectPolicy.CANCEL,
  };
  if ("results" in wanted) {
    const { sessionId, executionId } = wanted;
    const toolResults = wanted.results.map(({ toolCallId, output }) => ({
      toolCallId,
      outcome: { case: "resultJson" as const, value: JSON.stringify(output) },
    }));
    return {
      sessionId,
      open: turnOf(context, request, { ...settings, sessionId, executionId, toolResults }),
    };
  }
  const { text, files, earlier } = wanted;
  const known = named.sessionId ?? callerOf(request).principal.sessionId;
  const sessionId = known ?? (await newSession(context, request, agent, storedMessages(earlier, new Date())));
  const message = {
    ...settings,
    ...messageInput(text, files),
    sessionId,
    dynamicTools: tools,
    ...(rollbackAfterMessageId !== undefined && { rollback: { afterMessageId: rollbackAfterMessageId } }),
  };
  return { sessionId, open: turnOf(context, request, message) };
}

async function newSession(
  context: GatewayContext,
  request: FastifyRequest,
  agent: ReturnType<typeof agentOfModel>,
  messages: readonly object[],
): Promise<string> {
  const messagesJson = messages.length === 0 ? "" : JSON.stringify(messages);
  const session = { ...agent, messagesJson };
  return (await context.sessions.createSession(session, callFor(context, request))).sessionId;
}
