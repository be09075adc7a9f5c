import {
  type AuthProvider,
  ClientCredentialsProvider,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  fetchToken,
  type OAuthClientProvider,
  OAuthError,
  PrivateKeyJwtProvider,
  selectResourceURL,
} from "@modelcontextprotocol/client";
import { type Clock, Secret } from "@muster/service";
import type { Exchange } from "./exchange.ts";
import { AuthorizationProblem, clauseOf } from "./mcp-problem.ts";
import type { ClientCredentials, McpServer, PrivateKeyJwt } from "./mcp-server.ts";
import type { StoredToken, TokenStore } from "./memory-token-store.ts";

/** The part of a token's life after which it is renewed. */
const renewAfter = 0.8;

export interface AuthorizationOptions {
  server: McpServer;
  auth: ClientCredentials | PrivateKeyJwt;
  key: string;
  exchange: Exchange;
  tokens: TokenStore;
  clock: Clock;
}

/** Gets tokens for the requests of one exchange: the first one when the server asks for it, the next before that has expired. */
export class Authorization implements AuthProvider {
  readonly #options: AuthorizationOptions;
  #used: string | undefined;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  async token(): Promise<string | undefined> {
    const { tokens, key } = this.#options;
    const stored = await tokens.get(key);
    if (stored === undefined) return undefined;
    return this.#use(this.#isPast(stored, renewAfter) ? await this.#renewOr(stored) : stored);
  }

  async onUnauthorized({ response }: { response: Response }): Promise<void> {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    await this.#renew({ resourceMetadataUrl: resourceMetadataUrl?.href, scope });
  }

  /** An authorization server that is down does no harm before the token has expired. */
  async #renewOr(stored: StoredToken): Promise<StoredToken> {
    this.#used = stored.accessToken.reveal();
    try {
      return await this.#renew(stored);
    } catch (error) {
      if (this.#isPast(stored, 1)) throw error;
      return stored;
    }
  }

  #renew(challenge: Pick<StoredToken, "resourceMetadataUrl" | "scope">): Promise<StoredToken> {
    const { tokens, key, exchange } = this.#options;
    const renew = async () => {
      const stored = await tokens.get(key);
      // Another exchange has renewed it in the meantime.
      if (
        stored !== undefined &&
        stored.accessToken.reveal() !== this.#used &&
        !this.#isPast(stored, renewAfter)
      )
        return stored;
      const token = await this.#request(challenge, stored?.issuer);
      await tokens.put(key, token);
      return token;
    };
    return tokens.lock(key, renew, exchange.signal);
  }

  async #request(
    challenge: Pick<StoredToken, "resourceMetadataUrl" | "scope">,
    lastIssuer: string | undefined,
  ): Promise<StoredToken> {
    const { server, auth, exchange, clock } = this.#options;
    const { resourceMetadataUrl } = challenge;
    const fetchFn = exchange.fetch;
    try {
      const found = await discoverOAuthServerInfo(server.url, {
        fetchFn,
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
      });
      const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
      const issuer = metadata?.issuer ?? authorizationServerUrl;
      const expected = auth.issuer ?? lastIssuer;
      if (expected !== undefined && withoutSlash(expected) !== withoutSlash(issuer))
        throw new AuthorizationProblem(
          "names an authorization server that is not the issuer of its credentials",
        );
      const scope = auth.scope ?? challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ");
      const provider = providerOf(auth, issuer);
      // Only checked: the indicator is sent as the server spells it.
      await selectResourceURL(server.url, provider, resourceMetadata);
      const issuedAt = clock.now();
      const { access_token, expires_in } = await fetchToken(provider, authorizationServerUrl, {
        fetchFn,
        ...(metadata && { metadata }),
        ...(resourceMetadata && { resource: resourceMetadata.resource }),
        ...(scope && { scope }),
      });
      return {
        accessToken: new Secret(access_token),
        issuer,
        issuedAt,
        expiresAt: expires_in === undefined ? undefined : issuedAt + expires_in * 1_000,
        resourceMetadataUrl,
        scope: challenge.scope,
      };
    } catch (error) {
      throw problemOfToken(error, exchange);
    }
  }

  #use(token: StoredToken): string {
    const text = token.accessToken.reveal();
    this.#used = text;
    this.#options.exchange.secrets.add(text);
    return text;
  }

  #isPast({ issuedAt, expiresAt = Number.POSITIVE_INFINITY }: StoredToken, part: number): boolean {
    return this.#options.clock.now() >= issuedAt + (expiresAt - issuedAt) * part;
  }
}

function providerOf(auth: ClientCredentials | PrivateKeyJwt, expectedIssuer: string): OAuthClientProvider {
  const { clientId } = auth;
  if (auth.type === "client-credentials")
    return new ClientCredentialsProvider({
      clientId,
      clientSecret: auth.clientSecret.reveal(),
      expectedIssuer,
    });
  // The SDK takes EdDSA for unknown if the key is a string.
  const privateKey = Buffer.from(auth.privateKey.reveal());
  return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: auth.algorithm, expectedIssuer });
}

function problemOfToken(error: unknown, exchange: Exchange): unknown {
  const { problem } = exchange;
  if (problem !== undefined) {
    exchange.problem = undefined;
    return new AuthorizationProblem(`has an authorization server that ${clauseOf(problem)}`, {
      cause: error,
    });
  }
  if (error instanceof AuthorizationProblem || error instanceof OAuthError) return error;
  return new AuthorizationProblem("got no token with its credentials", { cause: error });
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
