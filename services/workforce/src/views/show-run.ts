import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { RecordedRunSchema } from "@muster/proto/recordings";
import { decimalOf } from "@muster/service/money";
import type { RecordingDocument } from "../store/recording-document.ts";

/** The known facts about a recorded run. */
export function showRun({
  facts,
  startedAt,
  end,
}: RecordingDocument): MessageInitShape<typeof RecordedRunSchema> {
  const { agentName, task, model = "" } = facts;
  const begun = { agentName, task, model, startedAt: timestampFromDate(startedAt) };
  if (end === undefined) return begun;
  const { at, status, failureReason, usage } = end;
  return {
    ...{ ...begun, endedAt: timestampFromDate(at), status },
    ...(failureReason !== undefined && { failureReason }),
    ...(usage && {
      usage: {
        costUsd: decimalOf(usage.cost),
        inputTokens: BigInt(usage.inputTokens),
        outputTokens: BigInt(usage.outputTokens),
      },
    }),
  };
}
