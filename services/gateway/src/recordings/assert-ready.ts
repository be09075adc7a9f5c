import type { GetRecordingResponse } from "@muster/proto/recordings";
import { HttpProblem } from "../errors/http-problem.ts";

/** A video is rendered within about a minute. */
const retryAfterMs = 5_000;

/** Throws RECORDING_NOT_READY while there will be a video, and NOT_FOUND if there never will be one. */
export function assertReady({ status, error }: GetRecordingResponse): void {
  if (status === "ready") return;
  if (willBeReady(status)) {
    throw new HttpProblem("RECORDING_NOT_READY", "The video is still being made. Try again in a moment.", {
      retryAfterMs,
    });
  }
  throw new HttpProblem("NOT_FOUND", `This run has no video. ${error ?? ""}`.trim());
}

/** Whether a recording with this status still changes by itself. */
export function willBeReady(status: string): boolean {
  return status === "requested" || status === "recording" || status === "processing";
}
