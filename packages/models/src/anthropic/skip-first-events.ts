import { BodyStream, type StartFilter } from "../http/body-stream.ts";
import { isSkippable } from "./unknown-events.ts";

type Fetch = typeof globalThis.fetch;
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Drops unknown events at the beginning of a stream, which the package would take for a failed call. From the first
 * known event on, the body passes through unchanged.
 */
export function skipFirstEvents(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    if (body === null || !response.ok || !isStream) return response;
    const filter = new FirstEventFilter();
    if (BodyStream.filterStart(body, filter)) return response;
    return new Response(editStart(body, filter), { status, statusText, headers });
  };
}

/** For a body of another `fetch`, or one that had to be decoded. */
function editStart(body: ReadableStream<Bytes>, filter: StartFilter): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        while (true) {
          const { done, value } = await reader.read();
          const passed = done ? filter.end() : filter.pass(value);
          if (passed.length > 0) controller.enqueue(passed);
          if (done) controller.close();
          if (done || passed.length > 0) return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const endOfEvent = /\r\n\r\n|\n\n|\r\r/;

// A longer first event is not worth waiting for.
const maxHeldBytes = 64 * 1024;

class FirstEventFilter implements StartFilter {
  /** The beginning of the first event, one character for each byte. Undefined once a known event has passed. */
  #held: string | undefined = "";

  get isDone(): boolean {
    return this.#held === undefined;
  }

  /** None until the first known event is complete. */
  pass(chunk: Bytes): Bytes {
    if (this.#held === undefined) return chunk;
    let text = this.#held + Buffer.from(chunk).toString("latin1");
    for (let end = endOfEvent.exec(text); end !== null; end = endOfEvent.exec(text)) {
      if (!isSkippable(text.slice(0, end.index))) return this.#release(text);
      text = text.slice(end.index + end[0].length);
    }
    if (text.length > maxHeldBytes) return this.#release(text);
    this.#held = text;
    return new Uint8Array();
  }

  end(): Bytes {
    return this.#release(this.#held ?? "");
  }

  #release(text: string): Bytes {
    this.#held = undefined;
    return new Uint8Array(Buffer.from(text, "latin1"));
  }
}
