import { type Claims, claimOf } from "./conditions.ts";
import { type Algorithm, isAlgorithm, maxKidLength } from "./limits.ts";
import { loadJose } from "./load-jose.ts";

/** A token whose signature is not verified yet: nothing in it is true. */
export interface UnverifiedToken {
  text: string;
  algorithm: Algorithm;
  kid: string;
  issuer: string;
  /** The id in the audience, which the platform has generated. */
  providerId: string;
  claims: Claims;
}

const audiencePrefix = "muster:";
const audience = /^muster:(idp_[0-9a-z]{1,60})$/;

/** The audience of a provider's tokens. It names the provider, so that no other project accepts them. */
export function audienceOf(providerId: string): string {
  return audiencePrefix + providerId;
}

/** Reads a text that has the form of a JWT. Undefined if it cannot be a token of a provider, which therefore costs no query. */
export async function readToken(text: string): Promise<UnverifiedToken | undefined> {
  const decoded = await decode(text);
  if (decoded === undefined) return undefined;
  const { header, claims } = decoded;
  const { alg, kid } = header;
  const issuer = claimOf(claims, "iss");
  const [, providerId] = audience.exec(onlyAudienceIn(claims) ?? "") ?? [];
  if (typeof alg !== "string" || !isAlgorithm(alg)) return undefined;
  // Without it, any key of the issuer would do, those for other purposes included.
  if (typeof kid !== "string" || kid === "" || kid.length > maxKidLength) return undefined;
  if (typeof issuer !== "string" || providerId === undefined) return undefined;
  return { text, algorithm: alg, kid, issuer, providerId, claims };
}

/** A token for several audiences is refused: each of them could use it here. */
function onlyAudienceIn(claims: Claims): string | undefined {
  const [only, ...others]: unknown[] = [claimOf(claims, "aud")].flat();
  return typeof only === "string" && others.length === 0 ? only : undefined;
}

async function decode(text: string): Promise<{ header: Claims; claims: Claims } | undefined> {
  const { decodeJwt, decodeProtectedHeader } = await loadJose();
  try {
    return { header: { ...decodeProtectedHeader(text) }, claims: decodeJwt(text) };
  } catch {
    return undefined;
  }
}
