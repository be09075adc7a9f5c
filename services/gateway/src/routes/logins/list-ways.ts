import type { AddRoute } from "../../context.ts";
import { waysReply } from "../../schemas/login-reply.ts";

export const listWays: AddRoute = (app, { oidc }) =>
  app.route({
    method: "GET",
    url: "/api/logins/ways",
    schema: {
      operationId: "listLoginWays",
      tags: ["Logins"],
      summary: "Learn how a browser can log in",
      description: "Needs no credential. With `oidc`, `GET /api/logins/oidc` begins the login.",
      response: { 200: waysReply },
    },
    handler: async () => ({ apiKey: true, oidc: oidc ? { name: oidc.name } : null }),
  });
