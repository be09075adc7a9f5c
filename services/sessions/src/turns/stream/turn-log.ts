import type { StreamEvent } from "@muster/proto/sessions";
import {
  documentLength,
  type EventLine,
  EventLog,
  type EventLogOptions,
  eventsId,
  lineOf,
  linesOf,
  shortLinesOf,
} from "@muster/store/event-log";
import { type PendingEvents, type RunKey, runName, type TurnEvents } from "../../store/turn-events.ts";

/**
 * How far a turn may be ahead of its stored events; beyond it, the model waits. So a reader can never have seen an event
 * whose number is larger than the last stored one plus this, and a turn buffers at most some 300 KB of events.
 */
export const maxUnstored = { events: 1_024, characters: 128 * 1024 };
/** A part of a response, and the end of a turn, can be this many events at once. */
export const slack = 64;

const ahead = { ...maxUnstored, events: maxUnstored.events - slack };

interface TurnLogOptions extends Pick<EventLogOptions, "first" | "onDue"> {
  key: RunKey;
  /** Its session is read by this instance alone. */
  isAlone: boolean;
  /** How long events that are stored now are kept. `isEnd`: no more follow. */
  keptUntil(isEnd: boolean): Date;
}

/** The events of one response to a trigger. Readers on this instance see them before they are stored. */
export class TurnLog extends EventLog<StreamEvent, TurnEvents> {
  readonly key: RunKey;
  readonly #textOf: (events: readonly EventLine[]) => string;
  readonly #keptUntil: TurnLogOptions["keptUntil"];
  /** The unstored events, in the form that was last written with the turn. */
  #written: { first: number; count: number; text: string } | undefined;
  /** The number of the last event, if all are in the session's document. */
  #end: number | undefined;

  constructor({ key, first, onDue, isAlone, keptUntil }: TurnLogOptions) {
    super({ id: key.executionId, first, readers: "live", ahead, onDue });
    this.key = key;
    this.#textOf = isAlone ? shortLinesOf : linesOf;
    this.#keptUntil = keptUntil;
  }

  /** The events that the store may lack. `last`: the turn's last events, which follow. `isOpen`: the run continues later. */
  pending(last?: readonly EventLine[], isOpen = false): PendingEvents | undefined {
    if (this.isLost) return undefined;
    const { executionId, run } = this.key;
    const first = this.stored + 1;
    const unstored = this.unstored();
    const lines = { first, count: unstored.length, text: this.#textOf(unstored) };
    this.#written = lines;
    const events = lines.text + this.#textOf(last ?? []);
    const count = lines.count + (last?.length ?? 0);
    const keptUntil = this.#keptUntil(true);
    return { executionId, run, first, count, events, isLast: last !== undefined && !isOpen, keptUntil };
  }

  /** The session's document has these events. */
  keptWithTurn({ first, count, isLast }: Pick<PendingEvents, "first" | "count" | "isLast">): void {
    if (isLast && first === 1) this.#end = count;
  }

  protected override get isStoredElsewhere(): boolean {
    return this.#end === this.last;
  }

  protected override compose(first: number, unstored: readonly StreamEvent[]): TurnEvents {
    const written = this.#written?.first === first ? this.#written : undefined;
    let events = written?.text ?? "";
    let count = written?.count ?? 0;
    for (; events.length < documentLength && count < unstored.length; count += 1) {
      const event = unstored[count];
      if (event !== undefined) events += lineOf(event);
    }
    const { projectId, sessionId } = this.key;
    const isLast = this.isEnded && count === unstored.length;
    const _id = eventsId(runName(this.key), first);
    return { _id, projectId, sessionId, first, count, events, isLast, keptUntil: this.#keptUntil(isLast) };
  }
}
