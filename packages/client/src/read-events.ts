import { connectionLost, MusterError } from "./errors.ts";

export interface NumberedEvent<Event> {
  event: Event;
  /** Undefined without a line `id:`. */
  id: number | undefined;
}

/** The server sends a heartbeat every 15 s, so that a connection without any is dead after twice this time at most. */
const silenceMs = 30_000;

/**
 * Yields the events of a response until `[DONE]`. Throws CONNECTION_LOST if it ends before. The type of the events is the
 * server's word: checking each of them would cost more than reading it.
 */
export async function* readEvents<Event extends object>(
  { body }: Response,
  url: string,
): AsyncGenerator<NumberedEvent<Event>> {
  if (body === null) throw new MusterError("UNEXPECTED_RESPONSE", `${url} responded without a stream.`);
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let id: number | undefined;
  let isReading = false;
  let isSilent = false;
  const timer = setInterval(() => {
    // The read then ends as if the stream had.
    if (isSilent) void reader.cancel().catch(() => undefined);
    // While the consumer is busy with an event, the connection may have more.
    isSilent = isReading;
  }, silenceMs);
  try {
    for (;;) {
      isReading = true;
      const { done, value } = await reader
        .read()
        .catch((cause) => Promise.reject(connectionLost(url, cause)));
      if (done) throw connectionLost(url, "the stream has ended early");
      isReading = isSilent = false;
      const text = rest + decoder.decode(value, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        const line = text.slice(start, end);
        start = end + 1;
        if (line.startsWith("id:")) id = Number(line.slice(3));
        else if (line.startsWith("data:")) {
          const data = line.slice(5).trim();
          if (data === "[DONE]") return;
          yield { event: parse<Event>(data, url), id };
          id = undefined;
        }
      }
      rest = text.slice(start);
    }
  } finally {
    clearInterval(timer);
    // After an error, the stream has nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

function parse<Event extends object>(data: string, url: string): Event {
  try {
    const event: unknown = JSON.parse(data);
    if (typeof event === "object" && event !== null) return event as Event;
  } catch {
    // Reported below, as is JSON that is not an object.
  }
  throw new MusterError("UNEXPECTED_RESPONSE", `${url} sent an event that is not a JSON object.`);
}
