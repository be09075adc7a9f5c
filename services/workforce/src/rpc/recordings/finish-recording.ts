import type { FinishRecordingRequest } from "@muster/proto/recordings";
import { Issues } from "@muster/rpc";
import { type AttemptOutcome, finishRecording as finish } from "../../recordings/finish-recording.ts";
import type { Handler } from "../handler.ts";
import { assertPlatform } from "./assert-platform.ts";

const maxErrorLength = 1_000;

export const finishRecording: Handler<"finishRecording"> = async (context, request, call) => {
  assertPlatform(call);
  const { projectId, recordingId, epoch } = request;
  await finish(context, { projectId, recordingId }, epoch, readOutcome(request));
  return {};
};

/** Throws INVALID_REQUEST. */
function readOutcome({ outcome }: FinishRecordingRequest): AttemptOutcome {
  if (outcome.case === "video") {
    const { durationMs, sizeBytes, width, height } = outcome.value;
    return {
      video: { durationMs: Number(durationMs), sizeBytes: Number(sizeBytes), width, height },
    };
  }
  if (outcome.case === "released" && outcome.value) return { released: true };
  if (outcome.case === "diskFull" && outcome.value) return { diskFull: true };
  const issues = new Issues();
  if (outcome.case !== "error" || outcome.value.trim() === "")
    issues.add("outcome", "must be a video, an error that is not empty, released, or diskFull");
  issues.refuse();
  return { error: String(outcome.value).slice(0, maxErrorLength).toWellFormed() };
}
