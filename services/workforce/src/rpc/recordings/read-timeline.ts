import type { HandlerContext } from "@connectrpc/connect";
import type { ReadTimelineRequest, ReadTimelineResponse } from "@muster/proto/recordings";
import type { WorkforceContext } from "../../context.ts";
import { recordingLost } from "../../recordings/finish-recording.ts";
import { readTimeline as read } from "../../recordings/read-timeline.ts";
import { timelineOf } from "../../store/recording-document.ts";
import { assertPlatform } from "./assert-platform.ts";

/** Refusals are thrown before the first message, and after the last one if the recording was lost in between. */
export async function* readTimeline(
  context: WorkforceContext,
  request: ReadTimelineRequest,
  call: HandlerContext,
): AsyncGenerator<ReadTimelineResponse, void, undefined> {
  assertPlatform(call);
  const recording = await claimed(context, request);
  for await (const events of read(context.threadEvents, timelineOf(recording))) {
    call.signal.throwIfAborted();
    yield { $typeName: "muster.workforce.v1.ReadTimelineResponse", events };
  }
  await claimed(context, request);
}

async function claimed(
  { recordings }: Pick<WorkforceContext, "recordings">,
  { projectId, recordingId, epoch }: ReadTimelineRequest,
) {
  const recording = await recordings.find({ projectId, recordingId });
  if (recording?.status !== "processing" || recording.epoch !== epoch || recording.lease === null)
    throw recordingLost();
  return recording;
}
