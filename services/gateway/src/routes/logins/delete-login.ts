import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import { Type } from "@muster/wire/schema";
import { loginCookie, loginOf, requireSite } from "../../auth/login-cookie.ts";
import type { AddRoute } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";

export const deleteLogin: AddRoute = (app, context) =>
  app.route({
    method: "DELETE",
    url: "/api/logins/current",
    config: {
      sends: ["Set-Cookie"],
      errors: ["UNAUTHENTICATED", "FORBIDDEN", "RATE_LIMITED", "UNAVAILABLE", "TIMEOUT"],
    },
    schema: {
      operationId: "deleteLogin",
      tags: ["Logins"],
      summary: "Log the browser out",
      description:
        "Ends the login of the cookie, which stops working everywhere within seconds, and removes the cookie. It also succeeds if the login had ended.",
      response: { 204: Type.Null({ description: "The browser is logged out." }) },
    },
    handler: async (request, reply) => {
      const site = requireSite(request, context.publicUrl);
      const secret = loginOf(request, context.publicUrl);
      if (secret !== undefined) {
        const end = () => context.auth.deleteLogin({ secret }, context.asPlatform(request));
        await context.checkSignature(request, end, "shared").catch(unlessEnded);
      }
      return reply.code(204).header("set-cookie", loginCookie(site, undefined)).send(null);
    },
  });

/** Rethrows everything but that the login had ended. */
function unlessEnded(error: unknown): void {
  if (error instanceof HttpProblem || readRpcError(error).reason !== Reason.UNAUTHENTICATED) throw error;
}
