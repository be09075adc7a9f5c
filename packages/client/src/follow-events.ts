import { MusterError } from "./errors.ts";
import type { Patience } from "./patience.ts";
import { type NumberedEvent, readEvents } from "./read-events.ts";

/**
 * Yields the events of a stream to its end, each once, over cut connections and restarts of the server. `reopen` opens
 * the response that has the events after a number, in one attempt; `first` is the response to read before, if there is one.
 */
export async function* followEvents<Event extends object>(
  reopen: (after: number) => Promise<Response>,
  { url, patience }: { url: string; patience: Patience },
  { first, after = 0 }: { first?: Response | undefined; after?: number | undefined } = {},
): AsyncGenerator<Required<NumberedEvent<Event>> & { id: number }, void, undefined> {
  let last = after;
  let response = first;
  for (;;) {
    let endsEarly = false;
    try {
      response ??= await reopen(last);
      patience.opened();
      for await (const { event, id } of readEvents<Event>(response, url)) {
        endsEarly = isOfServer(event);
        if (endsEarly) continue;
        last = id ?? last + 1;
        patience.progress();
        yield { event, id: last };
      }
      if (!endsEarly) return;
      throw new MusterError("CONNECTION_LOST", "The server has ended the stream early.");
    } catch (error) {
      await patience.failed(error);
    }
    response = undefined;
  }
}

/** The server ends a response early: these events are not part of the turn, and have no number. */
function isOfServer(event: { type?: unknown; interrupted?: unknown; lastSequence?: unknown }): boolean {
  return event.interrupted === true || (event.type === "error" && event.lastSequence !== undefined);
}
