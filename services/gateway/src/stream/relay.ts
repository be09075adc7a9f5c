import type { FastifyReply } from "fastify";
import { unauthenticated } from "../auth/authenticator.ts";
import { problemFrom } from "../errors/from-any.ts";
import { HttpProblem } from "../errors/http-problem.ts";
import { endProgress } from "../http/admission.ts";
import { sendJsonText } from "../routes/send-json-text.ts";
import { type Batch, type EndReason, type EventStream, stoppingProblem } from "./event-stream.ts";
import type { framesOf } from "./frames.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Starts the call, which must end once the signal is aborted. */
export type OpenSource<Message = Batch> = (signal: AbortSignal) => AsyncIterable<Message>;

export interface RelayOptions<Message> {
  /** Encodes the events. Default: without numbers. */
  frames?: typeof framesOf;
  /** The number of the event before the first one. Absent: the reader cannot continue the response. */
  cursor?: number;
  /** Further headers of the response, from the first message. */
  headersOf?(first: Message): Readonly<Record<string, string>>;
  /** The response as JSON, if the first message shows that there is no stream. */
  documentOf?(first: Message): string | undefined;
}

/**
 * Relays a streaming call as server-sent events. Resolves once the stream has ended for any reason. Throws only
 * before the first message, while an ordinary error response is still possible.
 */
export async function relay<Message extends Batch>(
  streams: OpenStreams,
  reply: FastifyReply,
  open: OpenSource<Message>,
  { frames, cursor, headersOf, documentOf }: RelayOptions<Message> = {},
): Promise<void> {
  const stream = streams.add(reply.raw, reply.request.credential);
  const source = open(stream.signal)[Symbol.asyncIterator]();
  const first = await firstBatch(source, stream);
  if (first === undefined) {
    reply.hijack();
    return;
  }
  const document = documentOf?.(first);
  if (document !== undefined) {
    stream.collect(first);
    await source.return?.();
    sendJsonText(reply.headers({ ...headersOf?.(first) }), document);
    return;
  }
  reply.hijack();
  endProgress(reply.request);
  reply.request.summary = stream.summary;
  stream.open({ "x-request-id": reply.request.id, ...headersOf?.(first) }, frames, cursor);
  try {
    await pump(source, stream, first);
    stream.finish();
  } catch (error) {
    const problem = problemFrom(error);
    if (!stream.signal.aborted) {
      reply.log.error({ err: problem.cause ?? problem }, "a stream failed after its first event");
    }
    stream.fail(problem);
  }
}

async function pump(source: AsyncIterator<Batch>, stream: EventStream, first: Batch): Promise<void> {
  await stream.push(first);
  while (!stream.signal.aborted) {
    const next = await source.next();
    if (next.done) return;
    const writable = stream.push(next.value);
    if (writable) await writable;
  }
}

/** Undefined if the reader has left. */
async function firstBatch<Message>(
  source: AsyncIterator<Message>,
  stream: EventStream,
): Promise<Message | undefined> {
  try {
    const first = await source.next();
    if (!first.done) return first.value;
  } catch (error) {
    if (!stream.signal.aborted) throw error;
  }
  const problem = endedEarly(stream.endReason);
  if (problem !== undefined) throw problem;
  if (stream.endReason !== undefined) return undefined;
  throw new HttpProblem("UPSTREAM", "The agent ended without a response. Try again.");
}

/** The response for a request that ended before its first event or its document. Undefined: no reader is left. */
export function endedEarly(reason: EndReason | undefined): HttpProblem | undefined {
  switch (reason) {
    case "unauthenticated":
      return unauthenticated();
    case "stopping":
      return stoppingProblem();
    case "first-event-timeout":
      return new HttpProblem("TIMEOUT", "The agent did not respond in time. Try again.");
    case "reader-left":
    case "reader-stalled":
    case undefined:
      return undefined;
  }
}
