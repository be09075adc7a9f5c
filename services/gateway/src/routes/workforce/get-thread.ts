import type { GetThreadResponse, Recording } from "@muster/proto/workforce";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AddRoute, callFor, type GatewayContext } from "../../context.ts";
import { isNamedBy, onlyTagIn, sendUnchanged } from "../../edge/http/conditions.ts";
import { baseUrlOf } from "../../edge/http/headers.ts";
import { sendJsonText } from "../../edge/http/json-text.ts";
import { ifNoneMatch, unchanged } from "../../schemas/common.ts";
import { threadParams, threadQuery, threadReply } from "../../schemas/workforce.ts";
import { hold } from "../../streams/relay.ts";
import { recordingUrl, threadJson } from "./thread-json.ts";

export const getThread: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/workforce/agents/:agentId/threads/:threadId",
    config: { sends: ["ETag"] },
    schema: {
      operationId: "getThread",
      tags: ["Workforce"],
      summary: "Read a thread, at once or as soon as it changes",
      description:
        "Poll while the status is `pending`, `queued` or `running`. With `wait`, the response is sent as soon as the status or the number of messages changes, and at once if the thread is final. With the `ETag` of the previous response in `If-None-Match`, changes since then count, and a thread that is still the same is 304. The URL of a private recording is signed again for each response that contains the thread.",
      params: threadParams,
      querystring: threadQuery,
      headers: ifNoneMatch,
      response: { 200: threadReply, 304: unchanged },
    },
    handler: async (request, reply) => {
      const { wait = "0" } = request.query;
      const header = request.headers["if-none-match"];
      const knownTag = onlyTagIn(header);
      const found = await readThread(context, request, reply, {
        ...request.params,
        waitSeconds: Number(wait),
        ...(knownTag !== undefined && { knownTag }),
      });
      if (found === undefined) return reply;
      const etag = `"${found.tag}"`;
      reply.header("etag", etag);
      if (found.thread === undefined || isNamedBy(header, etag)) sendUnchanged(reply);
      else {
        const urlOf = (recording: Recording) => recordingUrl(context, request, recording);
        sendJsonText(reply, ...threadJson(found.thread, urlOf));
      }
      return reply;
    },
  });

interface ReadOptions {
  agentId: string;
  threadId: string;
  /** For a change; at most 30. */
  waitSeconds?: number;
  /** A thread that still has this tag is absent from the response. */
  knownTag?: string;
}

/** Undefined if the reader has left while the response waited for a change. */
export async function readThread(
  context: GatewayContext,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ReadOptions,
): Promise<GetThreadResponse | undefined> {
  if (!options.waitSeconds) return askForThread(context, request, options);
  return hold(context.streams, reply, (signal) => askForThread(context, request, options, signal));
}

/** `signal`: that of a response which waits for a change. */
export function askForThread(
  context: GatewayContext,
  request: FastifyRequest,
  options: ReadOptions,
  signal?: AbortSignal,
): Promise<GetThreadResponse> {
  const { waitSeconds = 0 } = options;
  const message = { ...options, waitSeconds, filesBaseUrl: context.publicUrl ?? baseUrlOf(request) ?? "" };
  const patient = { callTimeoutMs: context.callTimeoutMs + waitSeconds * 1_000 };
  return context.workforce.getThread(message, { ...callFor(patient, request), ...(signal && { signal }) });
}
