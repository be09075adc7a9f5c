import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { serveTls } from "@muster/guarded-fetch/testing";
import type { TestScope } from "@muster/testing";
import Provider from "oidc-provider";
import { serverKinds } from "./mcp-servers.ts";

export const secret = "a-secret-of-the-client-7f3a";
export const tokenSeconds = 1_000;

export interface ProtectedServer {
  url: string;
  issuer: string;
  /** PKCS 8 in PEM, of the client `by-key`. */
  privateKey: string;
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
 * to get them. Clients: `by-secret` and `by-key`.
 */
export async function startProtected(t: TestScope): Promise<ProtectedServer> {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  let answer: RequestListener = () => {};
  const port = await serveTls(t, (request, response) => answer(request, response));
  const provider = providerFor(`https://files.example:${port}`, publicKey.export({ format: "jwk" }));
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
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
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

function providerFor(issuer: string, publicKey: object): Provider {
  const client = {
    redirect_uris: [],
    response_types: [],
    grant_types: ["client_credentials"],
    scope: "tickets",
  };
  return new Provider(issuer, {
    clients: [
      { ...client, client_id: "by-secret", client_secret: secret },
      {
        ...client,
        client_id: "by-key",
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "ES256",
        jwks: { keys: [{ ...publicKey, kty: "EC" }] },
      },
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
