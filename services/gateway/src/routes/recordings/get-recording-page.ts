import type { AddRoute } from "../../context.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { page, recordingParams, recordingQuery } from "../../schemas/recordings.ts";
import { findRecording } from "./find-recording.ts";
import { pageHeaders } from "./page/document.ts";
import { statePage } from "./page/notices.ts";
import { playerPage } from "./page/player.ts";

export const getRecordingPage: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/r/:recordingId",
    config: {
      isCounted: true,
      produces: ["text/html"],
      sends: ["Cache-Control"],
      errors: ["RECORDING_GONE"],
    },
    schema: {
      operationId: "getRecordingPage",
      tags: ["Recordings"],
      summary: "Show a page that plays the video of a run, with its chapters and transcript",
      description:
        "The URL of the video without `.webm`, with the same `token`. `#t=83` starts at that second. While the video is being made and if there is none, the page says so. Errors are pages as well for a client that asks for `text/html`.",
      params: recordingParams,
      querystring: recordingQuery,
      response: { 200: page },
    },
    handler: async (request, reply) => {
      const { recordingId } = request.params;
      const { token } = request.query;
      const found = await findRecording(context, request, { recordingId, token });
      const isPublic = found.visibility === "public";
      const address = {
        base: context.publicUrl ?? baseUrlOf(request),
        token: isPublic ? undefined : token,
      };
      const { text, policy } = found.status === "ready" ? playerPage(found, address) : statePage(found);
      const mayBeKept = isPublic && found.status === "ready";
      // An address from the request is for this client only: a shared cache would serve it to other clients.
      const scope = context.publicUrl === undefined ? "private" : "public";
      return reply
        .headers({
          ...pageHeaders(policy),
          "cache-control": mayBeKept ? `${scope}, max-age=300` : "no-store",
          ...(!mayBeKept && { "x-robots-tag": "noindex" }),
        })
        .send(text);
    },
  });
