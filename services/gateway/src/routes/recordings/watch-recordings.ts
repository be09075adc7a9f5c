import type { FastifyReply } from "fastify";
import type { AddRoute } from "../../context.ts";
import type { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { App } from "../../edge/http/app.ts";
import { prefersPage } from "../../edge/http/headers.ts";
import { respondWithError } from "../../edge/http/respond-with-error.ts";
import { getRecordingPage } from "./get-recording-page.ts";
import { getRecordingVideo } from "./get-recording-video.ts";
import { getRecordingChapters, getRecordingTranscript } from "./get-text-tracks.ts";
import { pageHeaders } from "./page/document.ts";
import { problemPage } from "./page/notices.ts";

/** The routes of recordings, in a scope of their own: users open them, so their errors can be pages. */
export const watchRecordings: AddRoute = (app, context) => {
  void app.register(async (scope: App) => {
    scope.setErrorHandler((error, _request, reply) => respondToWatcher(error, reply));
    const routes = [getRecordingPage, getRecordingVideo, getRecordingChapters, getRecordingTranscript];
    for (const addRoute of routes) addRoute(scope, context);
  });
};

/** Sends the public form of any thrown value, as a page to a browser that opens the address. */
function respondToWatcher(error: unknown, reply: FastifyReply): FastifyReply {
  if (!prefersPage(reply.request.headers.accept)) return respondWithError(error, reply);
  return respondWithError(error, reply, (problem: HttpProblem) => {
    const { text, policy } = problemPage(problem, reply.request.id);
    reply.headers({ ...pageHeaders(policy), "cache-control": "no-store", "x-robots-tag": "noindex" });
    return text;
  });
}
