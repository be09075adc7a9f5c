import { isPlainObject } from "@muster/language/json";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { unexpectedResponse, unreachable } from "./problem.ts";
import type { Reply } from "./send.ts";

/** The server sends a heartbeat every 15 s. */
const silenceMs = 60_000;
const maxEventLength = 16 * 1024 * 1024;

export interface NumberedEvent {
  readonly event: Record<string, unknown>;
  /** Undefined for events without a line `id:`. */
  readonly number: number | undefined;
}

/** Reads events until `[DONE]`. A stream that ends without it is a broken connection. */
export async function* readEvents(
  response: Reply,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const waiting: Array<Pick<EventSourceMessage, "id" | "data">> = [];
  const parser = createParser({ onEvent: (message) => waiting.push(message), maxBufferSize: maxEventLength });
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(response, url, signal)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { id, data } of waiting.splice(0)) {
      if (data === "[DONE]") return;
      yield { event: parseEvent(data, url), number: id === undefined ? undefined : Number(id) };
    }
  }
  throw unreachable(url, new Error("the stream ended early"));
}

async function* chunksOf({ body }: Reply, url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await withinSilence(chunks.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, error);
  } finally {
    body.destroy();
  }
}

async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new DOMException("silence", "TimeoutError")), silenceMs);
  try {
    return await Promise.race([reading, silence.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function parseEvent(data: string, url: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(data);
    if (isPlainObject(event)) return event;
  } catch {
    // Reported below, as is JSON that is not an object.
  }
  throw unexpectedResponse(url, "it contains an event that is not a JSON object");
}
