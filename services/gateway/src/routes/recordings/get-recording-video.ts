import type { AddRoute } from "../../context.ts";
import { unchanged } from "../../schemas/common.ts";
import { recordingErrors, recordingParams, recordingQuery, video } from "../../schemas/recordings.ts";
import { sendRecordingFile } from "./send-recording-file.ts";

export const getRecordingVideo: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/r/:recordingId.webm",
    config: {
      isCounted: true,
      produces: ["video/webm"],
      sends: ["ETag", "Last-Modified", "Cache-Control", "Accept-Ranges", "Content-Disposition"],
      errors: [...recordingErrors, "RANGE_NOT_SATISFIABLE"],
    },
    schema: {
      operationId: "getRecordingVideo",
      tags: ["Recordings"],
      summary: "Watch or download the video of a run",
      description:
        "`Range` returns a part, and 416 after the end. Of several ranges, and for a malformed header, the whole is returned. `If-None-Match`, `If-Modified-Since` and `If-Range` work. A private recording whose URL is wrong or has expired is 404, like one that does not exist.",
      params: recordingParams,
      querystring: recordingQuery,
      response: { 200: video, 206: video, 304: unchanged },
    },
    handler: async (request, reply) => {
      const wanted = { recordingId: request.params.recordingId, token: request.query.token };
      await sendRecordingFile(context, request, reply, wanted, "video.webm");
      return reply;
    },
  });
