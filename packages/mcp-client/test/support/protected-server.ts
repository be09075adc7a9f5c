import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { serveTls } from "@muster/guarded-fetch/testing";
import type { TestScope } from "@muster/testing";
import Provider from "oidc-provider";
import { serverKinds } from "./mcp-servers.ts";

export const secret = "a-secret-of-the-client-7f3a";
export const tokenSeconds = 1_000;

export type Algorithm = "ES256" | "EdDSA";

export interface ProtectedServer {
  url: string;
  issuer: string;
  /** PKCS 8 in PEM, of the clients `by-ES256` and `by-EdDSA`. */
  privateKeys: Record<Algorithm, string>;
  /** The requests of the authorization server. */
  requests: string[];
  /** Makes it answer with 503. */
  isDown: boolean;
  /** Makes the MCP server refuse the tokens that it has seen. */
  revoke(): void;
  /** Names another authorization server to clients. */
  authorizationServer: string;
}

/**
 * An MCP server on https that accepts the tokens of a real authorization server on https, and says in the header of its 401 where
 * to get them. Clients: `by-secret`, `by-ES256` and `by-EdDSA`.
 */
export async function startProtected(t: TestScope): Promise<ProtectedServer> {
  const pairs = {
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
    EdDSA: generateKeyPairSync("ed25519"),
  };
  const pemOf = (algorithm: Algorithm) =>
    pairs[algorithm].privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  let answer: RequestListener = () => {};
  const port = await serveTls(t, (request, response) => answer(request, response));
  const provider = providerFor(`https://files.example:${port}`, pairs);
  const issue = provider.callback();
  answer = (request, response) => {
    started.requests.push(`${request.method} ${request.url}`);
    if (started.isDown) response.writeHead(503).end();
    else void issue(request, response);
  };
  const revoked = new Set<string>();
  const seen = new Set<string>();
  const listener = serverKinds["v2 stateless"]?.() ?? answer;
  const mcpPort = await serveTls(t, async (request, response) => {
    if (request.url === "/metadata/tickets") return metadata(response);
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    seen.add(token);
    const found = token === "" ? undefined : await provider.ClientCredentials.find(token);
    if (found?.aud === `${url}/mcp` && !revoked.has(token)) return listener(request, response);
    return refuse(request, response);
  });
  const url = `https://other.example:${mcpPort}`;
  const started: ProtectedServer = {
    url,
    issuer: `https://files.example:${port}`,
    privateKeys: { ES256: pemOf("ES256"), EdDSA: pemOf("EdDSA") },
    requests: [],
    isDown: false,
    revoke: () => {
      for (const token of seen) revoked.add(token);
    },
    authorizationServer: `https://files.example:${port}`,
  };
  function metadata(response: ServerResponse) {
    const document = { resource: `${url}/mcp`, authorization_servers: [started.authorizationServer] };
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  }
  async function refuse(request: IncomingMessage, response: ServerResponse) {
    if (!request.resume().readableEnded) await once(request, "end");
    const challenge = `Bearer resource_metadata="${url}/metadata/tickets", scope="tickets"`;
    response.writeHead(401, { "www-authenticate": challenge }).end();
  }
  return started;
}

function providerFor(issuer: string, pairs: Record<Algorithm, { publicKey: KeyObject }>): Provider {
  const client = {
    redirect_uris: [],
    response_types: [],
    grant_types: ["client_credentials"],
    scope: "tickets",
  };
  return new Provider(issuer, {
    clients: [
      { ...client, client_id: "by-secret", client_secret: secret },
      ...(["ES256", "EdDSA"] as const).map((algorithm) => ({
        ...client,
        client_id: `by-${algorithm}`,
        token_endpoint_auth_method: "private_key_jwt" as const,
        token_endpoint_auth_signing_alg: algorithm,
        jwks: { keys: [{ kty: "", ...pairs[algorithm].publicKey.export({ format: "jwk" }) }] },
      })),
    ],
    scopes: ["tickets"],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({
          scope: "tickets",
          audience: resource,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: "opaque",
        }),
      },
    },
  });
}
