import { Type } from "typebox";
import type { AddRoute } from "../app.ts";

export const healthz: AddRoute = (app) =>
  app.route({
    method: "GET",
    url: "/healthz",
    config: { access: "public", isProbe: true },
    schema: {
      tags: ["System"],
      summary: "Check that the process is alive",
      response: { 200: Type.Object({ status: Type.String() }) },
    },
    handler: async () => ({ status: "ok" }),
  });
