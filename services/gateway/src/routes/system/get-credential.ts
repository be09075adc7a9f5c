import { hasPermission, permissions } from "@muster/rpc";
import { callerOf } from "../../auth/identity.ts";
import type { AddRoute } from "../../context.ts";
import { credentialReply } from "../../schemas/system.ts";

/** Uses the result of authentication, so it costs no call. */
export const getCredential: AddRoute = (app) =>
  app.route({
    method: "GET",
    url: "/api/credential",
    config: { sends: ["Cache-Control"] },
    schema: {
      operationId: "getCredential",
      tags: ["System"],
      summary: "Read the permissions and scope of the request's credential",
      description: "Every key may call it; a token may not.",
      response: { 200: credentialReply },
    },
    handler: async (request, reply) => {
      const { principal } = callerOf(request);
      return reply.header("cache-control", "no-store").send({
        type: "key",
        keyId: principal.keyId,
        loginId: principal.loginId ?? null,
        projectId: principal.projectId,
        anyProject: principal.anyProject,
        permissions: permissions.filter((permission) => hasPermission(principal, permission)),
        agentId: principal.agentId ?? null,
        sessionId: principal.sessionId ?? null,
      });
    },
  });
