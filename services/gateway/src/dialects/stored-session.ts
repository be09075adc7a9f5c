import type { UiMessage } from "@muster/client";
import { parseInSlices } from "@muster/large-data";
import { type CurrentTurn, View } from "@muster/proto/sessions";
import type { FastifyReply } from "fastify";
import type { GatewayContext } from "../context.ts";
import { baseUrlOf } from "../edge/http/headers.ts";
import { readStream } from "../routes/sessions/read-stream.ts";

/** A session as users see it. `turn`: the one that is running or waits, which `messages` contain up to an event. */
export interface StoredSession {
  turn: CurrentTurn | undefined;
  messages: readonly UiMessage[];
}

/** The session with its newest `limit` messages. Absent limit: all. Throws NOT_FOUND if it does not exist. */
export async function storedSession(
  context: GatewayContext,
  { request, raw }: FastifyReply,
  { sessionId, limit }: { sessionId: string; limit?: number | undefined },
): Promise<StoredSession> {
  const filesBaseUrl = context.publicUrl ?? baseUrlOf(request) ?? "";
  const wanted = { sessionId, ...(limit !== undefined && { limit }), view: View.UI, filesBaseUrl };
  let json = "";
  const responses = readStream(context, request, raw, (options) =>
    context.sessions.getSession(wanted, options),
  );
  let turn: StoredSession["turn"];
  for await (const { session, messagesJson } of responses) {
    turn ??= session?.turn;
    json += messagesJson;
  }
  return { turn, messages: await parseInSlices(`[${json}]`) };
}
