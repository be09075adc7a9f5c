import type { ProviderName } from "../providers/index.ts";

/** The outcome of checking a provider. */
export type ProviderStatus =
  /** It is reachable and accepts the key. */
  | "ok"
  /** The operator set neither a key nor a base URL. */
  | "not_configured"
  /** It is reachable and refuses the key. */
  | "key_refused"
  /** It could not be reached, or sent a response that could not be read. */
  | "unreachable";

/** The result of checking one provider. */
export interface ProviderCheck {
  name: ProviderName | "demo";
  status: ProviderStatus;
  /**
   * For users: the problem and its remedy; with `ok`, the parts that could not be checked. Never contains a key or an
   * address.
   */
  message?: string;
  /** It was checked with the project's own key. */
  usesProjectKey?: true;
  /** When the provider was asked, in milliseconds since 1970. Absent if it was not asked. */
  checkedAtMs?: number;
}
