import type { FastifyReply } from "fastify";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { sendJsonText } from "../edge/http/send-json-text.ts";
import { endProgress } from "../edge/limits/admission.ts";
import type { EventStream } from "./event-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import { endedEarly } from "./relay.ts";
import { type TurnBatch, TurnCollector } from "./turn-collector.ts";

/**
 * Answers with one JSON document when the turn has ended or paused. The reader's departure, the end of its credential and
 * a stop of the gateway have the same effects as on a stream. Throws what the response is otherwise. `sessionId`: the
 * session; absent if the call creates it.
 */
export async function answerTurn(
  streams: OpenStreams,
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<TurnBatch>,
  sessionId?: string,
): Promise<void> {
  const stream = streams.add(reply.raw, reply.request.credential);
  const turn = new TurnCollector(sessionId);
  try {
    await collect(open(stream.signal), stream, turn, reply);
  } catch (error) {
    if (!stream.signal.aborted) throw error;
  }
  if (stream.signal.aborted) {
    const problem = endedEarly(stream.endReason);
    if (problem !== undefined) throw problem;
    reply.hijack();
    return;
  }
  if (turn.problem !== undefined) throw turn.problem;
  const document = turn.document();
  if (document === undefined)
    throw new HttpProblem("UPSTREAM", "The agent ended without a response. Try again.");
  sendJsonText(reply, ...document);
}

async function collect(
  source: AsyncIterable<TurnBatch>,
  stream: EventStream,
  turn: TurnCollector,
  reply: FastifyReply,
): Promise<void> {
  for await (const batch of source) {
    stream.collect(batch);
    endProgress(reply.request);
    reply.request.summary = stream.summary;
    turn.observe(batch);
    if (batch.session !== undefined) reply.header("x-session-id", batch.session.sessionId);
  }
}
