import type { RequestListener } from "node:http";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from "jose";
import type { TestScope } from "./scope.ts";
import { serve } from "./servers.ts";

/** An issuer of OpenID Connect on loopback, over HTTP. */
export interface TestIssuer {
  /** Its `iss`, and its origin. */
  readonly url: string;
  /** The paths that were requested so far. */
  readonly requests: readonly string[];
  /** The key with which it signs. */
  readonly signingKey: SigningKey;
  /** The public keys that it publishes. */
  keys: JWK[];
  /** Answers requests in its place. */
  answer: RequestListener | undefined;
  /** Signs claims, with the issuer's last key unless another is given. Claims that are undefined are left out. */
  sign(claims: Record<string, unknown>, options?: SignOptions): Promise<string>;
  /** Makes another key, publishes it and signs with it from now on. The others stay published. */
  addKey(algorithm?: string): Promise<SigningKey>;
}

export interface SigningKey {
  kid: string;
  algorithm: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export interface SignOptions {
  key?: SigningKey;
  header?: Partial<JWTHeaderParameters>;
}

export async function startIssuer(t: TestScope): Promise<TestIssuer> {
  const requests: string[] = [];
  let last: SigningKey;
  const url = await serve(t, (request, response) => {
    requests.push(request.url ?? "");
    if (issuer.answer !== undefined) return issuer.answer(request, response);
    const document =
      request.url === "/.well-known/openid-configuration"
        ? { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
        : { keys: issuer.keys };
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  });
  const issuer: TestIssuer = {
    url,
    requests,
    get signingKey() {
      return last;
    },
    keys: [],
    answer: undefined,
    sign: (claims, { key = last, header = {} } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, ...header })
        .sign(key.privateKey),
    addKey: async (algorithm = "ES256") => {
      last = await newSigningKey(`key-${issuer.keys.length + 1}`, algorithm);
      issuer.keys.push(last.jwk);
      return last;
    },
  };
  await issuer.addKey();
  return issuer;
}

/** A key that is not published. */
export async function newSigningKey(kid: string, algorithm = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    algorithm,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" },
  };
}
