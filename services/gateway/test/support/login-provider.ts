import { generateKeyPairSync } from "node:crypto";
import type { RequestListener } from "node:http";
import { Secret } from "@muster/service";
import { freePort, serve, type TestScope } from "@muster/testing";
import Provider from "oidc-provider";
import type { OidcGrant, OidcSettings } from "../../src/auth/read-oidc-settings.ts";

const clientId = "muster-console";
const clientSecret = "a-secret-of-the-console-19c4d0";
const scopes = "openid email profile groups";

export interface LoginProvider {
  /** The settings of the gateway at `port`. */
  settings: OidcSettings;
  /** Where the gateway has to listen: the provider sends users back only there. */
  port: number;
  /** The claims of the user who is logged in at the provider. */
  claims: Record<string, unknown> & { sub: string };
  /** The user's choice at the provider. */
  does: "log in" | "refuse";
  /** Makes it answer with 503. */
  isDown: boolean;
}

/** A real identity provider on loopback. Its users are logged in at once. */
export async function startLoginProvider(t: TestScope, grants: readonly OidcGrant[]): Promise<LoginProvider> {
  const port = await freePort();
  let answer: RequestListener = () => {};
  const issuer = await serve(t, (request, response) => {
    if (started.isDown) response.writeHead(503).end();
    else answer(request, response);
  });
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret },
        redirect_uris: ["127.0.0.1", "localhost"].map(
          (host) => `http://${host}:${port}/api/logins/oidc/callback`,
        ),
      },
    ],
    jwks: { keys: [{ kty: "RSA", ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256" }] },
    cookies: { keys: ["a-key-of-the-provider"] },
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: async () => started.claims }),
    loadExistingGrant: async (context) => {
      const { accountId } = context.oidc.session ?? {};
      const grant = new provider.Grant({ clientId, ...(accountId && { accountId }) });
      grant.addOIDCScope(scopes);
      await grant.save();
      return grant;
    },
  });
  const issue = provider.callback();
  answer = (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void issue(request, response);
    const result =
      started.does === "log in"
        ? { login: { accountId: started.claims.sub } }
        : { error: "access_denied", error_description: "The user does not want to" };
    void provider.interactionFinished(request, response, result);
  };
  const started: LoginProvider = {
    settings: {
      ...{ issuer: new URL(issuer), clientId, clientSecret: new Secret(clientSecret), scopes, grants },
    },
    port,
    claims: { sub: "user-7", email: "ada@example.com", email_verified: true, groups: ["support", "ops"] },
    does: "log in",
    isDown: false,
  };
  return started;
}
