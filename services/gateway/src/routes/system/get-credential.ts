import { permissions } from "@muster/rpc";
import { keyCallerOf } from "../../auth/caller.ts";
import { credentialReply } from "../../schemas/system.ts";
import type { AddRoute } from "../app.ts";

/** Answered from what authentication found out: it costs no call. */
export const getCredential: AddRoute = (app) =>
  app.route({
    method: "GET",
    url: "/api/credential",
    config: { access: permissions },
    schema: {
      tags: ["System"],
      summary: "What the key of this request may do, and where",
      response: { 200: credentialReply },
    },
    handler: async (request, reply) => {
      const { principal } = keyCallerOf(request);
      return reply.header("cache-control", "no-store").send({
        type: "key",
        keyId: principal.keyId,
        projectId: principal.projectId,
        anyProject: principal.anyProject,
        permissions: permissions.filter((permission) => principal.permissions.has(permission)),
        agentId: principal.agentId ?? null,
        sessionId: principal.sessionId ?? null,
      });
    },
  });
