import { parseInSlices } from "@muster/large-data";
import { View } from "@muster/proto/sessions";
import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import { readStream } from "../../routes/sessions/read-stream.ts";
import type { ResponsePlace } from "./response-id.ts";

/** The session as a reader sees it, with its newest messages. Absent limit: all. */
export async function readSession(
  context: GatewayContext,
  reply: FastifyReply,
  sessionId: string,
  limit?: number,
) {
  const asked = { sessionId, view: View.UI, ...(limit !== undefined && { limit }) };
  let turn: { executionId: string; afterSequence: number } | undefined;
  let text = "";
  const call = readStream(context, reply.request, reply.raw, (options) =>
    context.sessions.getSession(asked, options),
  );
  for await (const { session, messagesJson } of call) {
    turn ??= session?.turn;
    text += messagesJson;
  }
  const messages: Array<{ id: string; role: string }> = await parseInSlices(`[${text}]`);
  return { turn, messages };
}

/**
 * The message after which a turn that follows the response begins. Undefined: the response is the latest of its session. Throws
 * NOT_FOUND if its messages were removed.
 */
export async function messageToKeep(
  context: GatewayContext,
  reply: FastifyReply,
  { sessionId, messageId, lastMessageId }: ResponsePlace,
): Promise<string | undefined> {
  const { messages: latest } = await readSession(context, reply, sessionId, 1);
  if (latest.at(-1)?.id === messageId) return undefined;
  const { messages } = await readSession(context, reply, sessionId);
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
