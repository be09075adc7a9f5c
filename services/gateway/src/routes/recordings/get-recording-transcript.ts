import { textTrackRoute } from "./text-track-route.ts";

export const getRecordingTranscript = textTrackRoute({
  file: "transcript.vtt",
  operationId: "getRecordingTranscript",
  summary: "Read what is said and done in a video",
});
