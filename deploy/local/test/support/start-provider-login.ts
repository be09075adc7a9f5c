import { startLoginProvider } from "@muster/gateway/testing/login-provider";
import type { TestScope } from "@muster/testing";
import { startTestServer } from "./server.ts";

/** A Muster whose users of the group `support` log in to the console with a real identity provider, and may use sessions. */
export async function startProviderLogin(t: TestScope) {
  const provider = await startLoginProvider(t, []);
  const { issuer, clientId, clientSecret, scopes } = provider.settings;
  const grant = { claim: "groups", contains: "support", projectId: "default", permissions: ["sessions"] };
  const server = await startTestServer(t, {
    PORT: String(provider.port),
    CONSOLE_OIDC_ISSUER: issuer.origin,
    CONSOLE_OIDC_CLIENT_ID: clientId,
    CONSOLE_OIDC_CLIENT_SECRET: clientSecret.reveal(),
    CONSOLE_OIDC_SCOPES: scopes,
    CONSOLE_OIDC_GRANTS: JSON.stringify([grant]),
  });
  return { ...server, provider };
}
