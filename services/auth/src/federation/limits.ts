/**
 * The signature algorithms that a provider may use. All are asymmetric: a process that can check a token cannot make
 * one.
 */
export const algorithms = [
  ...(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"] as const),
  "EdDSA",
] as const;
export type Algorithm = (typeof algorithms)[number];
export const defaultAlgorithms: readonly Algorithm[] = ["RS256", "ES256"];

export function isAlgorithm(text: string): text is Algorithm {
  return algorithms.some((algorithm) => algorithm === text);
}

/** Clocks of an issuer and of Muster differ. */
export const skewS = 30;

/** The bounds of the longest accepted lifetime of a provider's tokens. */
export const lifetimeS = { min: 60, default: 3_600, max: 86_400 } as const;

export const maxProviders = 50;
export const maxConditions = 20;
export const maxConditionValues = 50;
export const maxConditionLength = 500;
export const maxClaimName = 200;
export const maxUrlLength = 500;
/** The limit of the claim `sub`. */
export const maxSubjectLength = 1_000;
/** The limit of a key's id. */
export const maxKidLength = 300;

/** The limits of an issuer's documents. */
export const keySetLimits = {
  maxBytes: 128 * 1024,
  maxKeys: 50,
  timeoutMs: 3_000,
  redirects: 3,
  /** Keys are fetched again after this, while they keep being used. */
  refreshAfterMs: 10 * 60_000,
  /** Older keys are used only if the issuer does not answer. */
  waitAfterMs: 60 * 60_000,
  /** Older keys are not used. */
  unusableAfterMs: 24 * 60 * 60_000,
  /** Between two fetches from one issuer, whatever arrives. */
  coolDownMs: 30_000,
  /** Issuers whose keys are remembered. */
  maxSources: 500,
} as const;
