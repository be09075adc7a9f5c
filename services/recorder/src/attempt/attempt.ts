import type { ClaimedRecording } from "@muster/proto/recordings";
import type { RecordingKey } from "@muster/storage/recordings";
import type { RunFacts } from "@muster/video";
import { factsOf } from "./run-facts.ts";

/**
 * Why an attempt ended early: another recorder has the recording or it is no longer needed; this process stops; or it
 * has waited long enough for the end.
 */
export type StopReason = "lost" | "stopping" | "abandoned";

const sentences: Readonly<Record<StopReason, string>> = {
  lost: "The recording no longer belongs to this recorder.",
  stopping: "The recorder stops.",
  abandoned: "The recorder has stopped.",
};

export class AttemptStopped extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(sentences[reason]);
    this.name = "AttemptStopped";
    this.reason = reason;
  }
}

/** One claim of a recording by this process. */
export class Attempt {
  readonly key: RecordingKey;
  readonly facts: RunFacts;
  readonly leaseMs: number;
  readonly #rendering = new AbortController();
  readonly #owning = new AbortController();
  #isStoring = false;

  constructor({ id, projectId, epoch, leaseMs, run }: ClaimedRecording) {
    this.key = { projectId, recordingId: id, epoch };
    this.leaseMs = leaseMs;
    this.facts = factsOf(run);
  }

  /** Aborts when reading and rendering have to end. */
  get rendering(): AbortSignal {
    return this.#rendering.signal;
  }

  /** Aborts when this process may no longer report the end of the attempt. */
  get owning(): AbortSignal {
    return this.#owning.signal;
  }

  /** Why rendering has to end; undefined if it need not. */
  get stopped(): StopReason | undefined {
    const reason: unknown = this.#rendering.signal.reason;
    return reason instanceof AttemptStopped ? reason.reason : undefined;
  }

  /** Whether files may be stored. */
  get isStoring(): boolean {
    return this.#isStoring;
  }

  /** A stop of the process no longer ends the attempt: the work is done, and only has to be written down. */
  beginStoring(): void {
    this.rendering.throwIfAborted();
    this.#isStoring = true;
  }

  stop(reason: StopReason): void {
    if (reason !== "stopping") this.#owning.abort(new AttemptStopped(reason));
    this.#rendering.abort(new AttemptStopped(reason));
  }
}
