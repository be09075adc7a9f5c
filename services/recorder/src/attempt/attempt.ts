import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { ClaimedRecording, RecordedRun } from "@muster/proto/recordings";
import { Claim } from "@muster/service/claim";
import type { RecordingKey } from "@muster/storage/recordings";
import type { RunFacts } from "@muster/video";

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

const statuses = ["completed", "failed", "cancelled", "blocked"] as const;

/** A newer workforce service may leave out or add fields: the video then shows less. */
function runFactsOf(run: RecordedRun | undefined): RunFacts {
  const startedAtMs = run?.startedAt === undefined ? 0 : timestampMs(run.startedAt);
  const { usage, failureReason } = run ?? {};
  return {
    agentName: run?.agentName ?? "",
    task: run?.task ?? "",
    startedAtMs,
    endedAtMs: run?.endedAt === undefined ? startedAtMs : timestampMs(run.endedAt),
    status: statuses.find((status) => status === run?.status) ?? "completed",
    ...(failureReason !== undefined && { failureReason }),
    ...(run?.model && { model: run.model }),
    ...(usage && {
      usage: {
        costUsd: usage.costUsd,
        inputTokens: Number(usage.inputTokens),
        outputTokens: Number(usage.outputTokens),
      },
    }),
  };
}
