import { Type } from "typebox";
import type { AddRoute } from "../app.ts";

export const readyz: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/readyz",
    config: { access: "public", isProbe: true },
    schema: {
      tags: ["System"],
      summary:
        "Check that the gateway can serve requests: it is not stopping, and every service behind it responds",
      response: { 200: Type.Object({ status: Type.String() }) },
    },
    handler: async () => {
      await context.checkReady();
      return { status: "ready" };
    },
  });
