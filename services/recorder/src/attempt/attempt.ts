import type { ClaimedRecording } from "@muster/proto/recordings";
import { Claim } from "@muster/service/claim";
import type { RecordingKey } from "@muster/storage/recordings";
import type { RunFacts } from "@muster/video";
import { runFactsOf } from "./run-facts.ts";

/** One claim of a recording by this process: `stopping` ends reading and rendering, `abandoning` every call about it. */
export class Attempt extends Claim {
  readonly key: RecordingKey;
  readonly facts: RunFacts;
  readonly leaseMs: number;
  #isStoring = false;

  constructor({ id, projectId, epoch, leaseMs, run }: ClaimedRecording) {
    super();
    this.key = { projectId, recordingId: id, epoch };
    this.leaseMs = leaseMs;
    this.facts = runFactsOf(run);
  }

  /** Whether files may be stored. */
  get isStoring(): boolean {
    return this.#isStoring;
  }

  /** A stop of the process no longer ends the attempt: the work is done, and only has to be written down. */
  beginStoring(): void {
    this.check();
    this.#isStoring = true;
  }
}
