import { sendRecordingFile } from "../../recordings/send-recording-file.ts";
import { unchanged } from "../../schemas/common.ts";
import { recordingErrors, recordingParams, recordingQuery, textTrack } from "../../schemas/recordings.ts";
import type { AddRoute } from "../app.ts";

export const getRecordingTranscript: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/r/:recordingId/transcript.vtt",
    config: {
      isCounted: true,
      produces: ["text/vtt"],
      sends: ["ETag", "Last-Modified", "Cache-Control", "Accept-Ranges", "Content-Disposition"],
      errors: [...recordingErrors, "RANGE_NOT_SATISFIABLE"],
    },
    schema: {
      operationId: "getRecordingTranscript",
      tags: ["Recordings"],
      summary: "Read what is said and done in a video",
      description: "WebVTT. The URL of the video, with `/transcript.vtt` instead of `.webm`.",
      params: recordingParams,
      querystring: recordingQuery,
      response: { 200: textTrack, 206: textTrack, 304: unchanged },
    },
    handler: async (request, reply) => {
      const wanted = { recordingId: request.params.recordingId, token: request.query.token };
      await sendRecordingFile(context, request, reply, wanted, "transcript.vtt");
      return reply;
    },
  });
