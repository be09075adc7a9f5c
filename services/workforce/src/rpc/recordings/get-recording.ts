import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GetRecordingResponseSchema } from "@muster/proto/recordings";
import { Reason, rpcError } from "@muster/rpc";
import { isRecordingId } from "@muster/storage/recordings";
import { showRun } from "../../views/show-run.ts";
import type { Handler } from "../handler.ts";
import { assertPlatform } from "./assert-platform.ts";

export const getRecording: Handler<"getRecording"> = async ({ recordings }, { recordingId }, call) => {
  assertPlatform(call);
  const recording = isRecordingId(recordingId) ? await recordings.findAnywhere(recordingId) : null;
  if (recording === null) throw rpcError(Reason.NOT_FOUND, "The recording does not exist.");
  const {
    _id: id,
    projectId,
    agentId,
    threadId,
    status,
    visibility,
    epoch,
    video,
    readyAt,
    error,
  } = recording;
  return create(GetRecordingResponseSchema, {
    ...{ id, projectId, agentId, threadId, status, visibility },
    ...(status === "ready" && { epoch }),
    ...(video && {
      video: {
        ...{ width: video.width, height: video.height },
        ...{ durationMs: BigInt(video.durationMs), sizeBytes: BigInt(video.sizeBytes) },
      },
    }),
    ...(status === "failed" && error !== undefined && { error }),
    ...(status !== "deleted" && { run: showRun(recording) }),
    ...(readyAt && status === "ready" && { readyAt: timestampFromDate(readyAt) }),
  });
};
