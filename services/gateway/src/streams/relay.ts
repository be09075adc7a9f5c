import type { FastifyReply } from "fastify";
import { unauthenticated } from "../auth/authenticator.ts";
import { problemFrom } from "../edge/errors/from-any.ts";
import { HttpProblem } from "../edge/errors/http-problem.ts";
import { sendJsonText } from "../edge/http/json-text.ts";
import { endProgress } from "../edge/limits/admission.ts";
import { type Batch, type EndReason, type EventStream, stoppingProblem } from "./event-stream.ts";
import type { Encoding } from "./frames.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { ReaderUrls } from "./reader-urls.ts";
import { type TurnBatch, TurnCollector } from "./turn-collector.ts";

/** Starts the call, which must end once the signal is aborted. */
export type OpenSource<Message = Batch> = (signal: AbortSignal) => AsyncIterable<Message>;

export interface RelayOptions<Message> {
  /** Default: unchanged events without numbers. */
  encoding?: Encoding;
  /** The number of the event before the first one, of a turn or thread that the reader knows. */
  cursor?: number;
  /** The first message begins a turn that the reader can continue: its first event has the number 1. */
  beginsTurn?: true;
  /** Further headers of the response, from the first message. */
  headersOf?(first: Message): Readonly<Record<string, string>>;
  /** The response as JSON, if the first message shows that there is no stream. */
  documentOf?(first: Message): string | undefined;
}

/**
 * Relays a streaming call as server-sent events. Resolves once the stream has ended for any reason. Throws only
 * before the first message, while an ordinary error response is still possible: the stream opens without it if it takes
 * so long that the reader must have a heartbeat.
 */
export async function relay<Message extends Batch>(
  streams: OpenStreams,
  reply: FastifyReply,
  source: OpenSource<Message>,
  options: RelayOptions<Message> = {},
): Promise<void> {
  const { credential, waitedMs } = reply.request;
  const stream = streams.add(reply.raw, credential, waitedMs);
  stream.whenSilent(() => open(stream, reply, options));
  const messages = source(stream.signal)[Symbol.asyncIterator]();
  try {
    const first = await firstBatch(messages, stream);
    if (first === undefined) reply.hijack();
    else {
      const shown = streams.readerUrls(reply.request);
      await respond(stream, reply, { first, messages, shown }, options);
    }
  } catch (error) {
    if (!stream.hasOpened) throw error;
    fail(stream, reply, error);
  }
}

function open<Message>(
  stream: EventStream,
  reply: FastifyReply,
  { encoding, cursor, headersOf }: RelayOptions<Message>,
  first?: Message,
): void {
  reply.hijack();
  reply.request.summary = stream.summary;
  const headers = first === undefined ? {} : headersOf?.(first);
  stream.open({ "x-request-id": reply.request.id, ...headers }, encoding);
  if (cursor !== undefined) stream.continuableAfter(cursor);
}

/** The messages of a source. */
interface Received<Message> {
  first: Message;
  /** Those after the first. */
  messages: AsyncIterator<Message>;
  /** Each as its reader gets it. */
  shown: ReturnType<ReaderUrls>;
}

async function respond<Message extends Batch>(
  stream: EventStream,
  reply: FastifyReply,
  received: Received<Message>,
  options: RelayOptions<Message>,
): Promise<void> {
  const { first, messages } = received;
  const document = options.documentOf?.(first);
  if (document !== undefined) {
    stream.collect(first);
    await messages.return?.();
    if (stream.hasOpened) throw noDocument();
    sendJsonText(reply.headers({ ...options.headersOf?.(first) }), document);
    return;
  }
  endProgress(reply.request);
  if (!stream.hasOpened) open(stream, reply, options, first);
  if (options.beginsTurn) stream.continuableAfter(0);
  try {
    await pump(received, stream);
    stream.finish();
  } catch (error) {
    fail(stream, reply, error);
  }
}

function fail(stream: EventStream, reply: FastifyReply, error: unknown): void {
  const problem = problemFrom(error, reply.request);
  if (!stream.signal.aborted) {
    reply.log.error({ err: problem.cause ?? problem }, "a stream failed after it had been opened");
  }
  stream.fail(problem);
}

/** The response is a stream already, because the document was late. */
function noDocument(): HttpProblem {
  return new HttpProblem(
    "EVENTS_GONE",
    "The events of this turn are no longer kept. Send the request again.",
  );
}

async function pump({ first, messages, shown }: Received<Batch>, stream: EventStream): Promise<void> {
  await stream.push(shown(first));
  while (!stream.signal.aborted) {
    const next = await messages.next();
    if (next.done) return;
    const writable = stream.push(shown(next.value));
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
function endedEarly(reason: EndReason | undefined): HttpProblem | undefined {
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

/**
 * Answers with one JSON document when the turn has ended or paused. The reader's departure, the end of its credential and
 * a stop of the gateway have the same effects as on a stream. Throws what the response is otherwise. `sessionId`: the
 * session; absent if the call creates it. `documentOf`: the JSON in pieces; undefined if the turn has not ended.
 */
export async function answerTurn(
  streams: OpenStreams,
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<TurnBatch>,
  sessionId?: string,
  documentOf: (turn: TurnCollector) => readonly string[] | undefined = (turn) => turn.document(),
): Promise<void> {
  const stream = streams.add(reply.raw, reply.request.credential);
  const turn = new TurnCollector(sessionId);
  try {
    await collect(open(stream.signal), stream, turn, reply, streams.readerUrls(reply.request));
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
  const document = documentOf(turn);
  if (document === undefined)
    throw new HttpProblem("UPSTREAM", "The agent ended without a response. Try again.");
  sendJsonText(reply, ...document);
}

async function collect(
  source: AsyncIterable<TurnBatch>,
  stream: EventStream,
  turn: TurnCollector,
  reply: FastifyReply,
  shown: ReturnType<ReaderUrls>,
): Promise<void> {
  for await (const batch of source) {
    stream.collect(batch);
    endProgress(reply.request);
    reply.request.summary = stream.summary;
    turn.observe(shown(batch));
    if (batch.session !== undefined) reply.header("x-session-id", batch.session.sessionId);
  }
}
