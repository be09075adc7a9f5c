import { hash } from "node:crypto";
import { createGuardedFetch } from "@muster/guarded-fetch";
import { type Clock, createSecretBox, Secret } from "@muster/service";
import type { Configuration, CustomFetch } from "openid-client";
import type { OidcSettings } from "./read-oidc-settings.ts";
import { type OidcUser, userOfClaims } from "./user-of-claims.ts";

/** How long a user may take at the provider. */
export const attemptMs = 10 * 60_000;
const discoveredForMs = 60 * 60_000;

/**
 * Why a login is refused. `expired`: the attempt took too long, or is not of this browser, or has been used. `denied`: the
 * provider says no. `unreachable`: it does not answer, or not as it should.
 */
export class OidcRefusal extends Error {
  readonly code: "expired" | "denied" | "unreachable" | "no-grant";

  constructor(code: OidcRefusal["code"], cause?: unknown) {
    super(`The login with the identity provider was refused: ${code}`, { cause });
    this.code = code;
  }
}

/** The state of a login while its user is at the provider, which the browser keeps encrypted. */
interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** The page of the console that the user wanted. */
  to: string;
  startedAtMs: number;
}

export type OidcClient = ReturnType<typeof createOidcClient>;

/** Logs users in with the provider of the installation, which may be unreachable: the first login asks it. */
export function createOidcClient(
  { issuer, clientId, clientSecret, scopes, grants }: OidcSettings,
  clock: Clock,
) {
  // Any gateway of the installation can receive the user, and all of them have this secret.
  const box = createSecretBox([new Secret(hash("sha256", `muster/oidc ${clientSecret.reveal()}`))]);
  const fetch = createFetch(issuer);
  let known: { configuration: Promise<Configuration>; atMs: number } | undefined;

  const discover = async (): Promise<Configuration> => {
    const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await load();
    const execute = [
      enableNonRepudiationChecks,
      ...(issuer.protocol === "http:" ? [allowInsecureRequests] : []),
    ];
    return discovery(issuer, clientId, clientSecret.reveal(), undefined, { execute, [customFetch]: fetch });
  };
  const configured = async (): Promise<Configuration> => {
    if (known === undefined || clock.monotonicMs() - known.atMs > discoveredForMs)
      known = { configuration: discover(), atMs: clock.monotonicMs() };
    try {
      return await known.configuration;
    } catch (error) {
      known = undefined;
      throw new OidcRefusal("unreachable", error);
    }
  };
  const open = (sealed: string): Attempt | undefined => {
    const opened = box.open(parsed(Buffer.from(sealed, "base64url").toString()), ["oidc"]);
    const attempt: Attempt | undefined = opened.ok ? JSON.parse(opened.text) : undefined;
    return attempt && clock.now() - attempt.startedAtMs < attemptMs ? attempt : undefined;
  };

  return {
    /** The host of the provider, by which users know it. */
    name: issuer.host,
    /** The provider's address for the user, and the attempt for the browser. Throws OidcRefusal. */
    begin: async (redirectUri: string, to: string): Promise<{ url: string; sealed: string }> => {
      const configuration = await configured();
      const client = await load();
      const [state, nonce, verifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const url = client.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, scope: scopes, state, nonce },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
      const attempt: Attempt = { state, nonce, verifier, to, startedAtMs: clock.now() };
      const sealed = JSON.stringify(box.seal?.(JSON.stringify(attempt), ["oidc"]));
      return { url: url.href, sealed: Buffer.from(sealed).toString("base64url") };
    },
    /** The page that the user wanted. Undefined: the attempt is too old, or not one of this installation. */
    targetOf: (sealed: string) => open(sealed)?.to,
    /** Who has logged in. `callback`: the address to which the provider has sent the user. Throws OidcRefusal. */
    finish: async (sealed: string, callback: URL): Promise<OidcUser & { issuer: string }> => {
      const attempt = open(sealed);
      if (attempt === undefined || callback.searchParams.get("state") !== attempt.state)
        throw new OidcRefusal("expired");
      if (callback.searchParams.has("error")) throw new OidcRefusal("denied");
      const configuration = await configured();
      const claims = await claimsOf(configuration, callback, attempt).catch(refuse);
      const user = userOfClaims(claims, grants);
      if (user === undefined) throw new OidcRefusal("no-grant");
      return { ...user, issuer: configuration.serverMetadata().issuer };
    },
  };
}

/** Takes a tenth of a second, which a server without such logins saves. */
const load = () => import("openid-client");

async function claimsOf(
  configuration: Configuration,
  callback: URL,
  { state, nonce, verifier }: Attempt,
): Promise<Record<string, unknown> & { sub: string }> {
  const { authorizationCodeGrant, fetchUserInfo } = await load();
  const tokens = await authorizationCodeGrant(configuration, callback, {
    ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
  });
  const signed = tokens.claims();
  if (signed === undefined) throw new Error("The provider has sent no ID token");
  // Many providers put addresses and groups only there.
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
  const more =
    endpoint === undefined ? {} : await fetchUserInfo(configuration, tokens.access_token, signed.sub);
  return { ...more, ...signed };
}

/** A code that was used, or is too old, is the user's affair; anything else is the operator's. */
async function refuse(error: unknown): Promise<never> {
  const { ResponseBodyError } = await load();
  const isUsed = error instanceof ResponseBodyError && error.error === "invalid_grant";
  throw new OidcRefusal(isUsed ? "expired" : "unreachable", error);
}

/** The operator may name a private address, but no other origin that the provider names may be one. */
function createFetch({ origin }: URL): CustomFetch {
  const fetch = createGuardedFetch({ privateOrigins: [origin] });
  return async (url, { method, headers, body, signal }) => {
    const sent = body instanceof URLSearchParams || typeof body === "string" ? { body: String(body) } : {};
    const response = await fetch(url, { method, headers, ...sent, redirects: "return" }, signal);
    const { status } = response;
    const bytes = new Uint8Array(await response.bytes());
    return new Response(bytes.length === 0 ? null : bytes, { status, headers: response.headers });
  };
}

function parsed(text: string) {
  const nothing = { keyId: "", nonce: "", text: "", tag: "" };
  try {
    return { ...nothing, ...JSON.parse(text) };
  } catch {
    return nothing;
  }
}
