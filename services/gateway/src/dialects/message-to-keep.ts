import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../context.ts";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { storedSession } from "./stored-session.ts";

/** A turn as its client knows it: the message that it writes, and the last one before it. */
interface KnownTurn {
  sessionId: string;
  messageId: string;
  lastMessageId?: string | undefined;
}

/**
 * The last message to keep when a turn follows another one. Undefined: that one is the latest of its session. Throws NOT_FOUND
 * if its messages were removed.
 */
export async function messageToKeep(
  context: GatewayContext,
  reply: FastifyReply,
  { sessionId, messageId, lastMessageId }: KnownTurn,
): Promise<string | undefined> {
  const { messages: latest } = await storedSession(context, reply, { sessionId, limit: 1 });
  if (latest.at(-1)?.id === messageId) return undefined;
  const { messages } = await storedSession(context, reply, { sessionId });
  const before = messages.findIndex(({ id }) => id === lastMessageId);
  if (before === -1 && lastMessageId !== undefined) throw removed();
  // The message of a turn that has written nothing is not shown.
  const next = messages.findIndex(({ role }, index) => index > before + 1 && role === "user");
  const written = messages
    .slice(before + 1, next === -1 ? undefined : next)
    .filter(({ role }) => role === "assistant");
  if (written.length > 0 && !written.some(({ id }) => id === messageId)) throw removed();
  return next === -1 ? undefined : messages[next - 1]?.id;
}

function removed(): HttpProblem {
  return new HttpProblem("NOT_FOUND", "The response is no longer part of its session.");
}
