import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  DisconnectPolicy,
  type LocateChatRequestSchema,
  type TriggerRequestSchema,
} from "@muster/proto/sessions";
import { Reason, readRpcError } from "@muster/rpc";
import type { FastifyRequest } from "fastify";
import { streamCallFor } from "../auth/identity.ts";
import { callFor, type GatewayContext } from "../context.ts";
import { resumed } from "../routes/sessions/trigger-session.ts";
import { continued } from "../streams/continued-turn.ts";
import type { OpenSource } from "../streams/relay.ts";
import type { TurnBatch } from "../streams/turn-collector.ts";

/** The chat of a client, whose session begins with its first turn. `agentId` or `agentSlug` is set. */
export type Chat = Required<Pick<MessageInitShape<typeof LocateChatRequestSchema>, "chatId">> &
  Pick<MessageInitShape<typeof LocateChatRequestSchema>, "agentId" | "agentSlug" | "subject">;

type TriggerMessage = MessageInitShape<typeof TriggerRequestSchema>;

/** A message, as the input of a trigger without a name. `files`: file references as the API takes them. */
export function messageInput(text: string, files: readonly object[] = []): Pick<TriggerMessage, "inputJson"> {
  return { inputJson: JSON.stringify({ text, ...(files.length > 0 && { files }) }) };
}

export async function sessionOfChat(
  context: GatewayContext,
  request: FastifyRequest,
  chat: Chat,
): Promise<string> {
  const { sessionId } = await context.sessions.locateChat(chat, callFor(context, request));
  return sessionId;
}

/**
 * The turn that a client's message begins, or that its tool results continue. It keeps running if the reader leaves, unless
 * the message says otherwise. The session of `chat` is created if it does not exist.
 */
export function turnOf(
  context: GatewayContext,
  request: FastifyRequest,
  message: TriggerMessage & { sessionId: string },
  chat?: Chat,
): OpenSource<TurnBatch> {
  const { sessions } = context;
  const command = { onDisconnect: DisconnectPolicy.CONTINUE, ...message };
  const { sessionId, wantsResult = false } = message;
  async function* open(signal: AbortSignal): AsyncGenerator<TurnBatch, void, undefined> {
    const trigger = () => sessions.trigger(command, streamCallFor(request, signal))[Symbol.asyncIterator]();
    let batches = trigger();
    let first = await batches.next().catch(async (error: unknown) => {
      if (chat === undefined || readRpcError(error).reason !== Reason.NOT_FOUND) throw error;
      await sessions.createSession(chat, callFor(context, request));
      batches = trigger();
      return batches.next();
    });
    for (; first.done !== true; first = await batches.next()) yield first.value;
  }
  return continued<TurnBatch>(open, resumed(context, request, { wantsResult }), { sessionId });
}
