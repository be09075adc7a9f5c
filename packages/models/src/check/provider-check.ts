import type { ProviderName } from "../model-id.ts";

/** How a provider is. */
export type ProviderStatus =
  /** It answered and took the key. */
  | "ok"
  /** The operator set neither key nor address. */
  | "not_configured"
  /** It answered and refused the key. */
  | "key_refused"
  /** It could not be reached, or answered something that cannot be understood. */
  | "unreachable";

/** What asking a provider brought to light. */
export interface ProviderCheck {
  name: ProviderName | "demo";
  status: ProviderStatus;
  /** For people: what is wrong and what to do; with `ok`, what could not be checked. Never holds a key or an address. */
  message?: string;
  /** When it was asked, in milliseconds since 1970. Absent when it was not. */
  checkedAtMs?: number;
}
