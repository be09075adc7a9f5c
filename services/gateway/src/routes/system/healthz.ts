import type { AddRoute } from "../../context.ts";
import { healthReply } from "../../schemas/system.ts";

export const healthz: AddRoute = (app) =>
  app.route({
    method: "GET",
    url: "/healthz",
    config: { isProbe: true },
    schema: {
      operationId: "checkHealth",
      tags: ["System"],
      summary: "Check that the process is alive",
      description: "Asks no other part of the system.",
      response: { 200: healthReply },
    },
    handler: async () => ({ status: "ok" }),
  });
