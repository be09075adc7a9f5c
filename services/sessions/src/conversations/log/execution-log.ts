import type { Catalog } from "@muster/catalog";
import type { StreamEvent } from "@muster/engine";
import type { Clock } from "@muster/service";
import type { NewEntry } from "@muster/wire/log-entries";
import { defaultKeepLogMs } from "../../config.ts";
import { type LogDocument, logId, maxEntriesPerRun, sequenceOf } from "../../store/log-store.ts";
import type { Held, SessionKey } from "../../store/moves.ts";
import { Excerpts, shortenText } from "./shorten.ts";

/** Entries are written when this many characters have gathered, or after `flushAfterMs`. */
const flushLength = 64 * 1024;
const flushAfterMs = 1_000;

/** Every so many turns of a session, and of documents of one run, its log is checked for its limits. */
const trimEvery = 32;

export interface LogDependencies {
  clock: Clock;
  catalog: Pick<Catalog, "costOf" | "priceVersion">;
  /** Stores the entries; see `createLogWriter`. */
  writer: {
    write(document: LogDocument): Promise<void>;
    settle(writes: Promise<void>): Promise<void>;
    trim(key: SessionKey): Promise<void>;
  };
  /** For how long entries are kept. 0: as long as their session. */
  keepMs: number;
}

type AbortCause = Extract<NewEntry, { type: "abort" }>["cause"];

/** Where the entries belong. */
export interface LogPlace {
  held: Held & { agentId: string };
  executionId: string;
}

interface Recorded {
  type: string;
  at: string;
  /** The entry's own fields as JSON. */
  fields: string;
}

/** The log of one execution, from one lock of its session to the release. */
export class ExecutionLog {
  readonly dependencies: LogDependencies;
  #place: LogPlace | undefined;
  #recorded: Recorded[] = [];
  #length = 0;
  /** The number of all entries of this run that were handed to the writer. */
  #count = 0;
  #documents = 0;
  /** The writer writes one after another, so the last write ends after the others. */
  #lastWrite: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: LogDependencies) {
    this.dependencies = dependencies;
  }

  /** Runs for every entry. The values are copied at once, because the engine changes them. */
  note({ type, ...fields }: NewEntry): void {
    if (this.#count + this.#recorded.length >= maxEntriesPerRun) return;
    const json = JSON.stringify(fields);
    this.#recorded.push({ type, at: new Date(this.dependencies.clock.now()).toISOString(), fields: json });
    this.#length += json.length;
    if (this.#length >= flushLength) this.#flush();
    else this.#plan();
  }

  /** From now on, entries can be written. */
  open(place: LogPlace): void {
    this.#place = place;
    this.#plan();
  }

  /**
   * Begins to write the end of a turn, together with the turn itself. `cause`: why it was stopped, if it was.
   */
  ending(events: readonly StreamEvent[], cause: AbortCause | undefined): void {
    this.#noteEnd(events);
    if (cause !== undefined) this.note({ type: "abort", cause });
    this.#flush();
  }

  /** The number of the last entry that is stored or on its way to the store. */
  get lastEntry(): number | undefined {
    if (this.#place === undefined || this.#count === 0) return undefined;
    return sequenceOf(this.#place.held.epoch, this.#count);
  }

  /**
   * Must be called at the end. `events`: those that end the stream instead. `waits`: until the entries can be read, because no
   * reader knows their number. Never rejects.
   */
  async ended(events: readonly StreamEvent[] = [], { waits = true } = {}): Promise<void> {
    this.#noteEnd(events);
    this.#flush();
    const { writer } = this.dependencies;
    if (waits && this.#lastWrite !== undefined) await writer.settle(this.#lastWrite);
    clearTimeout(this.#timer);
    const { held } = this.#place ?? {};
    if (held !== undefined && (held.epoch % trimEvery === 0 || this.#documents >= trimEvery)) {
      void writer.trim(held);
    }
  }

  #noteEnd(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.type === "error") this.note(errorEntry(event));
      if (event.type === "worker-result") noteWorkerOutput(this, event);
    }
  }

  #plan(): void {
    if (this.#place === undefined || this.#recorded.length === 0) return;
    this.#timer ??= setTimeout(() => this.#flush(), flushAfterMs).unref();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#place === undefined || this.#recorded.length === 0) return;
    this.#lastWrite = this.dependencies.writer.write(this.#document(this.#place));
    this.#documents += 1;
    this.#count += this.#recorded.length;
    this.#recorded = [];
    this.#length = 0;
  }

  #document({ held, executionId }: LogPlace): LogDocument {
    const { sessionId, projectId, agentId, epoch, runId } = held;
    const first = this.#count + 1;
    const entries = this.#recorded.map(({ type, at, fields }, offset) => {
      const sequence = sequenceOf(epoch, first + offset);
      // The run's id is unguessable.
      const id = `log_${runId.slice(runId.indexOf("_") + 1)}_${sequence}`;
      const rest = fields === "{}" ? "}" : `,${fields.slice(1)}`;
      return `{"type":"${type}","id":"${id}","sequence":${sequence},"timestamp":"${at}","executionId":"${executionId}"${rest}`;
    });
    const text = entries.join("\n");
    const nowMs = this.dependencies.clock.now();
    return {
      _id: logId(sessionId, epoch, first),
      projectId,
      agentId,
      sessionId,
      executionId,
      count: entries.length,
      requests: this.#recorded.filter(({ type }) => type === "model-request").length,
      length: text.length,
      entries: text,
      createdAt: new Date(nowMs),
      expiresAt: this.#expiry(nowMs, sessionId === executionId),
    };
  }

  /** Null: with its session; a worker execution has none. */
  #expiry(nowMs: number, isWorker: boolean): Date | null {
    const { keepMs } = this.dependencies;
    return keepMs === 0 && !isWorker ? null : new Date(nowMs + (keepMs || defaultKeepLogMs));
  }
}

export function noteWorkerOutput(
  log: Pick<ExecutionLog, "note">,
  { workerId, output, error }: Extract<StreamEvent, { type: "worker-result" }>,
): void {
  const excerpts = new Excerpts();
  log.note({
    type: "worker-output",
    workerId,
    ...(output !== undefined && { output: excerpts.value(output) }),
    ...(error !== undefined && { error: excerpts.text(error) }),
    ...excerpts.mark,
  });
}

/** `isHandled`: the turn continues nevertheless. */
export function errorEntry(
  {
    type,
    errorType,
    message,
    source,
    retryable,
    code,
    provider,
    tool,
  }: Extract<StreamEvent, { type: "error" }>,
  isHandled = false,
): NewEntry {
  return {
    type,
    errorType,
    message: shortenText(message),
    source,
    retryable,
    ...(code !== undefined && { code }),
    ...(provider !== undefined && { provider }),
    ...(tool !== undefined && { tool }),
    isHandled,
  };
}
