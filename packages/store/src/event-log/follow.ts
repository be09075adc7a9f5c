import { type EventsDocument, endOf, eventsAfter, type NumberedEvent } from "./events-document.ts";

/** Events that follow those a reader has. */
export interface Piece<E> {
  events: E[];
  /** The reader then has everything up to this number. It is larger than that of the last event if some were never stored. */
  last: number;
  /** No event follows. */
  isLast?: boolean | undefined;
}

/** How one reader reads a log. `E`: an event. `End`: how its part of the log can end, if not with the last event. */
export interface LogReader<E, End> {
  /** The events after the given one, as far as they can be read now. */
  read(after: number): Piece<E> | Promise<Piece<E>>;
  /**
   * Nothing followed the given event a moment ago: waits until that may have changed. Anything but undefined ends the reading.
   */
  wait(after: number): Promise<End | undefined>;
}

/** Reads a log to its end, from the memory of an instance or from the store. Ends early once the signal is aborted. */
export async function* follow<E, End>(
  { read, wait }: LogReader<E, End>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<E[], End | "ended", undefined> {
  let seen = after;
  while (!signal.aborted) {
    const { events, last, isLast } = await read(seen);
    if (events.length > 0) yield events;
    if (isLast) return "ended";
    if (last > seen) seen = last;
    else {
      const end = await wait(seen);
      if (end !== undefined) return end;
    }
  }
  return "ended";
}

/** The part of a document that a reader lacks, as messages of a type. */
export function pieceOf<TypeName extends string>(
  typeName: TypeName,
  document: Pick<EventsDocument, "first" | "count" | "events" | "isLast" | "next"> | null | undefined,
  after: number,
): Piece<NumberedEvent & { $typeName: TypeName }> {
  if (!document) return { events: [], last: after };
  const last = Math.max(after, endOf(document));
  return { events: eventsAfter(typeName, document, after), last, isLast: document.isLast };
}
