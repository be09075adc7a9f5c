import { Reason } from "@muster/proto/errors";
import { readRpcError } from "@muster/rpc";
import { optional, Type, text } from "@muster/wire/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { attemptCookie, attemptOf, loginCookie, type Site, siteFor } from "../../auth/login-cookie.ts";
import { attemptMs, type OidcClient, OidcRefusal } from "../../auth/oidc-client.ts";
import type { AddRoute, GatewayContext } from "../../context.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";

const maxTargetLength = 2_000;

const redirect = { 302: Type.Null({ description: "The identity provider, or the page of the console." }) };
/** Providers may send more. */
const answer = Type.Object({
  code: optional(text("The provider's code for the login.")),
  state: optional(text("The login attempt, as sent to the provider.")),
  error: optional(text("Why the provider refuses.")),
});

/** For browsers: both routes end with a redirect, and the console shows why a login is refused. */
export const logInWithProvider: AddRoute = (app, context) => {
  const config = {
    ...{ produces: ["text/html"], sends: ["Cache-Control", "Set-Cookie"] as const },
    errors: ["FORBIDDEN", "NOT_FOUND"] as const,
  };
  const to = optional(
    text("The page of the console to return to. Default: `/console`.", { maxLength: maxTargetLength }),
  );
  app.route({
    method: "GET",
    url: "/api/logins/oidc",
    config,
    schema: {
      operationId: "beginProviderLogin",
      tags: ["Logins"],
      summary: "Log in with the identity provider",
      description:
        "For users who open the address in a browser. They return to `to`, a page below `/console`; if the login is refused, with the reason in `login`.",
      querystring: Type.Object({ to }),
      response: redirect,
    },
    handler: async (request, reply) => {
      const { oidc, site } = siteAndProvider(context, request);
      const target = targetIn(request.query.to, site);
      // Another site may not replace the present login.
      if (request.headers["sec-fetch-site"] === "cross-site") return go(reply, target, []);
      try {
        const { url, sealed } = await oidc.begin(callbackOf(site), target);
        return go(reply, url, [attemptCookie(site, sealed, attemptMs / 1_000)]);
      } catch (error) {
        return refuse(request, reply, { site, target, error });
      }
    },
  });
  app.route({
    method: "GET",
    url: "/api/logins/oidc/callback",
    config,
    schema: {
      operationId: "finishProviderLogin",
      tags: ["Logins"],
      summary: "Return from the identity provider",
      description: "The provider sends browsers here. Register this address with the provider.",
      querystring: answer,
      response: redirect,
    },
    handler: async (request, reply) => {
      const { oidc, site } = siteAndProvider(context, request);
      const sealed = attemptOf(request, site) ?? "";
      const target = targetIn(oidc.targetOf(sealed), site);
      try {
        // The path is ours, whatever a proxy has made of it.
        const callback = new URL(callbackOf(site));
        callback.search = new URL(request.url, site.origin).search;
        // An address that sends wrong codes may not send them on to the provider without end.
        const finish = () => oidc.finish(sealed, callback).catch(asWrongCredential);
        const user = await context.checkSignature(request, finish, "alone");
        const { secret } = await context.auth.createLogin({ user }, context.asPlatform(request));
        return go(reply, target, [loginCookie(site, secret), attemptCookie(site, undefined, 0)]);
      } catch (error) {
        return refuse(request, reply, { site, target, error });
      }
    },
  });
};

function asWrongCredential(error: unknown): never {
  if (!(error instanceof OidcRefusal) || error.code !== "expired") throw error;
  throw new HttpProblem("UNAUTHENTICATED", error.message, { cause: error });
}

function siteAndProvider(
  { oidc, publicUrl }: GatewayContext,
  request: FastifyRequest,
): { oidc: OidcClient; site: Site } {
  if (oidc === undefined)
    throw new HttpProblem(
      "NOT_FOUND",
      "This server has no identity provider: CONSOLE_OIDC_ISSUER is not set.",
    );
  return { oidc, site: siteFor(request, publicUrl) };
}

function callbackOf({ origin }: Site): string {
  return `${origin}/api/logins/oidc/callback`;
}

/** Only pages of the console: otherwise the server would send users anywhere. */
function targetIn(text: string | undefined, { origin }: Site): string {
  const url = URL.parse(text ?? "", origin);
  const isOfConsole = url?.origin === origin && /^\/console(?:\/|$)/.test(url.pathname);
  return isOfConsole ? `${url.pathname}${url.search}${url.hash}` : "/console";
}

function go(reply: FastifyReply, address: string, cookies: readonly string[]): FastifyReply {
  return reply
    .headers({ "cache-control": "no-store", "set-cookie": [...cookies], "referrer-policy": "no-referrer" })
    .redirect(address);
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  { site, target, error }: { site: Site; target: string; error: unknown },
): FastifyReply {
  request.log.warn({ err: error }, "a login with the identity provider failed");
  const url = new URL(target, site.origin);
  url.searchParams.set("login", codeOf(error));
  return go(reply, `${url.pathname}${url.search}${url.hash}`, [attemptCookie(site, undefined, 0)]);
}

/** Anything but a refusal, such as an auth service that does not respond, is a problem as in any other route. */
function codeOf(error: unknown): string {
  if (error instanceof HttpProblem && error.cause instanceof OidcRefusal) return error.cause.code;
  if (error instanceof OidcRefusal) return error.code;
  if (readRpcError(error).reason === Reason.NOT_FOUND) return "no-project";
  throw error;
}
