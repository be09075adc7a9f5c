import { Type } from "typebox";
import type { AddRoute } from "../app.ts";

export const readyz: AddRoute = (app, context) =>
  app.route({
    method: "GET",
    url: "/readyz",
    config: { access: "public" },
    schema: {
      tags: ["System"],
      summary: "Requests can be served: everything behind the gateway answers and it is not stopping",
      response: { 200: Type.Object({ status: Type.String() }) },
    },
    handler: async () => {
      await context.checkReady();
      return { status: "ready" };
    },
  });
