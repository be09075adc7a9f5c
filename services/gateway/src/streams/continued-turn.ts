import { setTimeout as pause } from "node:timers/promises";
import { Code, readRpcError } from "@muster/rpc";
import type { Batch } from "./event-stream.ts";
import type { OpenSource } from "./relay.ts";
import type { TurnBatch } from "./turn-collector.ts";

type Sent = Batch & Pick<TurnBatch, "session">;

/**
 * How another process is searched for until the reader is asked to continue itself. The others may be away for as long
 * as a restart takes. One that responds takes as long as it needs: it waits until the lease of the dead process has
 * expired.
 */
const defaultSearch = { withinMs: 30_000, everyMs: 250 };

/** The place that a turn has reached. */
export interface TurnPlace {
  sessionId: string;
  executionId: string;
  /** The number of the last event that was received. */
  after: number;
  /** The message that the turn writes, if its beginning was received. */
  messageId?: string | undefined;
}

/** Follows a turn from an event on. `lost`: how the stream of the previous process ended, in the first call after it. */
export type Resume<Message> = (
  place: TurnPlace,
  signal: AbortSignal,
  lost?: unknown,
) => AsyncIterable<Message>;

/**
 * The messages of a turn, whichever process runs it: if one stops or dies, the turn is followed on the process that
 * continues it. If none does, the stream ends with the error of the first. `turn`: the facts known of it before its
 * first message. A process that is lost before it has sent anything is not replaced: it may or may not have begun the
 * turn.
 */
export function continued<Message extends Sent>(
  open: OpenSource<Message>,
  resume: Resume<Message>,
  turn: Partial<TurnPlace> = {},
  search = defaultSearch,
): OpenSource<Message> {
  return (signal) =>
    new ContinuedTurn(open(signal), (place, lost) => resume(place, signal, lost), { turn, search, signal });
}

/**
 * Likewise the events of a thread after a given one, whichever process sends them. The call names the thread, so nothing else
 * need be known. `lost`: as in `Resume`.
 */
export function continuedFrom<Message extends Sent>(
  open: (after: number, signal: AbortSignal, lost?: unknown) => AsyncIterable<Message>,
  after: number,
  search = defaultSearch,
): OpenSource<Message> {
  return continued(
    (signal) => open(after, signal),
    (place, signal, lost) => open(place.after, signal, lost),
    { sessionId: "", executionId: "", after },
    search,
  );
}

class ContinuedTurn<Message extends Sent> implements AsyncIterableIterator<Message> {
  readonly #resume: (place: TurnPlace, lost?: unknown) => AsyncIterable<Message>;
  readonly #signal: AbortSignal;
  readonly #search: typeof defaultSearch;
  #source: AsyncIterator<Message>;
  #sessionId: string | undefined;
  #executionId: string | undefined;
  /** The `start` event, which is seldom needed. */
  #startJson: string | undefined;
  #after: number;
  #hasBegun = false;
  /** Set while the gateway searches for another process. `because`: how the stream of the previous one ended. */
  #searching: { because: unknown; untilMs: number } | undefined;

  constructor(
    source: AsyncIterable<Message>,
    resume: (place: TurnPlace, lost?: unknown) => AsyncIterable<Message>,
    {
      turn: { sessionId, executionId, after = 0 },
      search,
      signal,
    }: { turn: Partial<TurnPlace>; search: typeof defaultSearch; signal: AbortSignal },
  ) {
    this.#source = source[Symbol.asyncIterator]();
    this.#resume = resume;
    this.#signal = signal;
    this.#search = search;
    this.#sessionId = sessionId;
    this.#executionId = executionId;
    this.#after = after;
  }

  async next(): Promise<IteratorResult<Message>> {
    while (true) {
      try {
        const result = await this.#source.next();
        if (result.done !== true) this.#observe(result.value);
        return result;
      } catch (error) {
        await this.#continue(error);
      }
    }
  }

  async return(): Promise<IteratorResult<Message>> {
    await this.#source.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Runs for every message. */
  #observe({ events, session }: Message): void {
    this.#hasBegun = true;
    if (session !== undefined) {
      this.#sessionId = session.sessionId;
      this.#executionId = session.executionId;
    }
    const last = events.at(-1);
    if (last === undefined) return;
    this.#after = last.sequence;
    this.#searching = undefined;
    if (this.#startJson === undefined && events[0]?.type === "start") this.#startJson = events[0].json;
  }

  /** Throws if the turn does not continue elsewhere. */
  async #continue(error: unknown): Promise<void> {
    const place = this.#place();
    // A process that stops reports this code, and so does the transport for one that has died or cannot be reached.
    const isLost = readRpcError(error).code === Code.Unavailable;
    if (this.#searching === undefined) {
      if (!isLost || !this.#hasBegun || this.#signal.aborted || place === undefined) throw error;
      this.#searching = { because: error, untilMs: performance.now() + this.#search.withinMs };
      this.#source = this.#resume(place, error)[Symbol.asyncIterator]();
      return;
    }
    const { because, untilMs } = this.#searching;
    // An abort ends the pause early; the next line sees it.
    await pause(this.#search.everyMs, undefined, { signal: this.#signal }).catch(() => undefined);
    const isOver = !isLost || performance.now() >= untilMs || this.#signal.aborted;
    if (isOver || place === undefined) throw because;
    this.#source = this.#resume(place)[Symbol.asyncIterator]();
  }

  #place(): TurnPlace | undefined {
    const start = idsIn(this.#startJson);
    const executionId = this.#executionId ?? start.executionId;
    const sessionId = this.#sessionId;
    if (sessionId === undefined || executionId === undefined) return undefined;
    return { sessionId, executionId, after: this.#after, messageId: start.messageId };
  }
}

function idsIn(startJson = "{}"): Partial<Record<"executionId" | "messageId", string>> {
  const event: Record<string, unknown> = JSON.parse(startJson);
  const { executionId, messageId } = event;
  return {
    ...(typeof executionId === "string" && { executionId }),
    ...(typeof messageId === "string" && { messageId }),
  };
}
