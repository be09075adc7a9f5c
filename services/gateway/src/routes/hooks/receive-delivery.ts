import type { IncomingHttpHeaders } from "node:http";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { usePlainBodies } from "../../edge/body/request-bodies.ts";
import { problemFrom } from "../../edge/errors/from-any.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { App } from "../../edge/http/app.ts";
import { acceptedDeliveryReply, challengeReply, receivingHookParams } from "../../schemas/hooks.ts";
import { receivingPath } from "./hook-json.ts";

const mib = 1024 * 1024;
/** Those that prove the sender, identify the event, or say how the body is written. */
const passedOn = [
  ...["content-type", "authorization", "idempotency-key"],
  ...["webhook-id", "webhook-timestamp", "webhook-signature"],
  ...["x-hub-signature-256", "x-slack-request-timestamp", "x-slack-signature"],
];

export const receiveDelivery: AddRoute = (app, context) => {
  // In a scope of its own: the signature covers the bytes, which may be JSON or a form.
  void app.register(async (scope: App) => {
    usePlainBodies(scope);
    addTo(scope, context);
  });
};

function addTo(app: App, context: GatewayContext): void {
  app.route({
    method: "POST",
    url: `${receivingPath}:hookId`,
    bodyLimit: mib,
    config: {
      isCounted: true,
      errors: ["INVALID_REQUEST", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE", "STORAGE_FULL", "TIMEOUT"],
    },
    schema: {
      operationId: "receiveDelivery",
      tags: ["Hooks"],
      summary: "Post an event to a hook",
      description:
        "For the systems that send events. The signature is the credential: `webhook-signature`, `x-hub-signature-256`, `x-slack-signature` or `Authorization: Bearer`, as the hook says. The body is JSON or a form of up to 1 MiB. 202: the event is stored, now or when it first arrived. Unknown hooks, disabled ones and wrong signatures are 404 alike.",
      params: receivingHookParams,
      response: { 200: challengeReply, 202: acceptedDeliveryReply },
    },
    handler: async (request, reply) => {
      const { hookId } = request.params;
      const headers = headersOf(request.headers);
      const delivery = { hookId, headers, ...(request.bytes && { body: request.bytes }) };
      const accept = () => context.hooks.acceptDelivery(delivery, context.asPlatform(request));
      const { deliveryId, challenge } = await context
        .checkSignature(request, accept, "burst")
        .catch((error: unknown) => {
          throw problemFrom(error).code === "UNAUTHENTICATED" ? unknownHook(error) : error;
        });
      if (challenge !== undefined) return reply.code(200).send({ challenge });
      return reply.code(202).send({ deliveryId: deliveryId ?? "" });
    },
  });
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
  );
}

function unknownHook(cause: unknown): HttpProblem {
  const message = "The hook does not exist, is disabled, or the signature is wrong or too old.";
  return new HttpProblem("NOT_FOUND", message, { cause });
}
