import { create } from "@bufbuild/protobuf";
import { ClaimRecordingResponseSchema } from "@muster/proto/recordings";
import { Issues } from "@muster/rpc";
import { showRun } from "../../views/show-run.ts";
import type { Handler } from "../handler.ts";
import { assertPlatform } from "./assert-platform.ts";

const maxNameLength = 200;

export const claimRecording: Handler<"claimRecording"> = async (
  { recordings, clock, timings },
  { recorder, recordingId, projectId },
  call,
) => {
  assertPlatform(call);
  const issues = new Issues();
  if (recorder === "" || recorder.length > maxNameLength)
    issues.add("recorder", `must have 1 to ${maxNameLength} characters`);
  if (recordingId !== "" && projectId === "") issues.add("projectId", "is required with recordingId");
  issues.refuse();
  const leaseMs = timings.recorderLeaseMs;
  const nowMs = clock.now();
  const key = recordingId === "" ? undefined : { projectId, recordingId };
  const until = new Date(nowMs + leaseMs);
  const claimed = await recordings.claim({ recorder, now: new Date(nowMs), until }, key);
  if (claimed === null) return {};
  const { _id: id, epoch, attempts } = claimed;
  return create(ClaimRecordingResponseSchema, {
    recording: {
      ...{ id, projectId: claimed.projectId, epoch, attempt: attempts, leaseMs, run: showRun(claimed) },
    },
  });
};
