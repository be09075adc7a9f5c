import type { AddRoute } from "../../context.ts";
import type { App } from "../../edge/http/app.ts";
import { getRecordingChapters } from "./get-recording-chapters.ts";
import { getRecordingPage } from "./get-recording-page.ts";
import { getRecordingTranscript } from "./get-recording-transcript.ts";
import { getRecordingVideo } from "./get-recording-video.ts";
import { respondToWatcher } from "./send-problem-page.ts";

/** The routes of recordings, in a scope of their own: users open them, so their errors can be pages. */
export const watchRecordings: AddRoute = (app, context) => {
  void app.register(async (scope: App) => {
    scope.setErrorHandler((error, _request, reply) => respondToWatcher(error, reply));
    for (const addRoute of [
      getRecordingPage,
      getRecordingVideo,
      getRecordingChapters,
      getRecordingTranscript,
    ]) {
      addRoute(scope, context);
    }
  });
};
