import { loginCookie, requireSite } from "../../auth/login-cookie.ts";
import { type AddRoute, callFor } from "../../context.ts";
import { isoOf } from "../../schemas/iso.ts";
import { loginReply } from "../../schemas/login-reply.ts";

export const createLogin: AddRoute = (app, context) =>
  app.route({
    method: "POST",
    url: "/api/logins",
    config: { sends: ["Cache-Control", "Set-Cookie"] },
    schema: {
      operationId: "createLogin",
      tags: ["Logins"],
      summary: "Log a browser in with an API key",
      description:
        "The response sets a cookie that only the server's own pages can use, with the header `X-Muster-Login: 1`. The login may do what the key may, except log in. It ends 8 hours after its last use, or with the key. Over plain http, it works only at `http://localhost`.",
      response: { 201: loginReply },
    },
    handler: async (request, reply) => {
      const site = requireSite(request, context.publicUrl);
      const { secret, loginId, expiresAt } = await context.auth.createLogin({}, callFor(context, request));
      return reply
        .code(201)
        .headers({ "cache-control": "no-store", "set-cookie": loginCookie(site, secret) })
        .send({ loginId, expiresAt: isoOf(expiresAt) });
    },
  });
