import { textTrackRoute } from "./text-track-route.ts";

export const getRecordingChapters = textTrackRoute({
  file: "chapters.vtt",
  operationId: "getRecordingChapters",
  summary: "Read the chapters of a video",
});
