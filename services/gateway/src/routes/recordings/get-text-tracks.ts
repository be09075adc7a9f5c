import type { AddRoute } from "../../context.ts";
import { unchanged } from "../../schemas/common.ts";
import { recordingErrors, recordingParams, recordingQuery, textTrack } from "../../schemas/recordings.ts";
import { sendRecordingFile } from "./send-recording-file.ts";

interface TextTrack {
  file: "chapters.vtt" | "transcript.vtt";
  operationId: string;
  summary: string;
}

/** Serves a text that belongs to a video. */
function textTrackRoute({ file, operationId, summary }: TextTrack): AddRoute {
  return (app, context) =>
    app.route({
      method: "GET",
      url: `/r/:recordingId/${file}`,
      config: {
        isCounted: true,
        produces: ["text/vtt"],
        sends: ["ETag", "Last-Modified", "Cache-Control", "Accept-Ranges", "Content-Disposition"],
        errors: [...recordingErrors, "RANGE_NOT_SATISFIABLE"],
      },
      schema: {
        operationId,
        tags: ["Recordings"],
        summary,
        description: `WebVTT. The URL of the video, with \`/${file}\` instead of \`.webm\`.`,
        params: recordingParams,
        querystring: recordingQuery,
        response: { 200: textTrack, 206: textTrack, 304: unchanged },
      },
      handler: async (request, reply) => {
        const wanted = { recordingId: request.params.recordingId, token: request.query.token };
        await sendRecordingFile(context, request, reply, wanted, file);
        return reply;
      },
    });
}

export const getRecordingChapters = textTrackRoute({
  file: "chapters.vtt",
  operationId: "getRecordingChapters",
  summary: "Read the chapters of a video",
});

export const getRecordingTranscript = textTrackRoute({
  file: "transcript.vtt",
  operationId: "getRecordingTranscript",
  summary: "Read the transcript of a video",
});
