import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { RecordedRun } from "@muster/proto/recordings";
import type { RunFacts } from "@muster/video";

const statuses = ["completed", "failed", "cancelled", "blocked"] as const;

/** A newer workforce service may leave out or add fields: the video then shows less. */
export function runFactsOf(run: RecordedRun | undefined): RunFacts {
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
