import type { FastifyReply } from "fastify";
import { endProgress } from "../edge/limits/admission.ts";
import type { OpenStreams } from "./open-streams.ts";
import { endedEarly } from "./relay.ts";

/**
 * Awaits a call that may take long because nothing has happened yet. The reader's departure, the end of its credential and
 * a stop of the gateway abort the call, as they end a stream. Undefined: no reader is left.
 */
export async function hold<Result>(
  streams: OpenStreams,
  reply: FastifyReply,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | undefined> {
  const stream = streams.add(reply.raw, reply.request.credential);
  // It waits for an event, and not for the server: others must not be refused because of it.
  endProgress(reply.request);
  let result: Result | undefined;
  try {
    result = await call(stream.signal);
  } catch (error) {
    if (!stream.signal.aborted) throw error;
  }
  if (!stream.signal.aborted) return result;
  const problem = endedEarly(stream.endReason);
  if (problem !== undefined) throw problem;
  reply.hijack();
  return undefined;
}
