import { type ProviderState, ProviderStatus } from "@muster/proto/sessions";
import { type AddRoute, callFor } from "../../context.ts";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { optionalIsoOf } from "../../schemas/iso.ts";
import { providerListReply } from "../../schemas/system.ts";

export const listProviders: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/api/providers",
    config: { sends: ["Cache-Control"] },
    schema: {
      operationId: "listProviders",
      tags: ["System"],
      summary: "List the model providers and whether they can be used",
      description: "Asks each configured provider, at most every 30 s.",
      response: { 200: providerListReply },
    },
    handler: async (request, reply) => {
      const { providers } = await context.sessions.checkProviders({}, callFor(context, request));
      return reply.header("cache-control", "no-store").send({ providers: providers.map(providerJson) });
    },
  });

const statuses = new Map<number, "ok" | "not_configured" | "key_refused" | "unreachable">([
  [ProviderStatus.OK, "ok"],
  [ProviderStatus.NOT_CONFIGURED, "not_configured"],
  [ProviderStatus.KEY_REFUSED, "key_refused"],
  [ProviderStatus.UNREACHABLE, "unreachable"],
]);

function providerJson({ name, status: sent, message, checkedAt, usesProjectKey }: ProviderState) {
  const status = statuses.get(sent);
  if (status === undefined) throw internalProblem(new Error(`${name} has the unknown status ${sent}`));
  return {
    name,
    status,
    message: message || null,
    projectKey: usesProjectKey,
    checkedAt: optionalIsoOf(checkedAt),
  };
}
