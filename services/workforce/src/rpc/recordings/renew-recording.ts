import { recordingLost } from "../../recordings/finish-recording.ts";
import { renew } from "../../recordings/moves.ts";
import type { Handler } from "../handler.ts";
import { assertPlatform } from "./assert-platform.ts";

export const renewRecording: Handler<"renewRecording"> = async (
  { recordings, clock, timings },
  { recordingId, projectId, epoch },
  call,
) => {
  assertPlatform(call);
  const until = new Date(clock.now() + timings.recorderLeaseMs);
  const renewed = await recordings.move({ projectId, recordingId }, renew(epoch, until));
  if (renewed === null) throw recordingLost();
  return {};
};
