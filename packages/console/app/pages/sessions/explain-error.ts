import type { ErrorEntry } from "@muster/client";

type Advice = Readonly<Record<ErrorEntry["errorType"], string>>;

/** The next thing to do about each kind of failure. */
const advice: Advice = {
  authentication_error:
    "The provider refused the API key. Replace it under Settings, Providers, then try again.",
  permission_error: "The key may not use this model. Choose another model, or a key that may.",
  validation_error: "The provider refused the request. Read it under Request; shorten it if it is too large.",
  not_found_error: "No configured provider runs this model. Check its id, or add a key for its provider.",
  rate_limit_error:
    "The rate limit of the provider is reached. Try again later, or give the agent a backup model.",
  quota_exceeded_error: "The account at the provider has no credit left. Add credit there, then try again.",
  provider_error: "The provider failed or its response broke off. Try again; a backup model avoids it.",
  provider_overloaded: "The provider is overloaded. Try again in a minute, or give the agent a backup model.",
  provider_timeout: "The provider did not respond in time. Try again, or choose a faster model.",
  execution_error: "The turn was interrupted. Try again from its message.",
  tool_error: "The tool failed. The model has read the message above.",
  protocol_error: "The definition asks for something that cannot be run. Fix it on the agent's page.",
  internal_error: "Muster itself failed. Try again; if it fails again, read the server's log.",
  unknown_error: "The provider reported an unknown failure. Try again.",
};

/** The advice about a failure, in one or two sentences. */
export function explainError(error: { message: string } & Partial<ErrorEntry>): string {
  const { code, errorType, isHandled } = error;
  if (code === "SPENDING_LIMIT" || code === "USAGE_LIMIT")
    return "A monthly limit is reached. Raise it under Settings, Limits, or wait until the next month.";
  const next =
    errorType === undefined
      ? "The model has read this as the outcome of the call, and could react to it."
      : advice[errorType];
  return isHandled === true ? `The turn continued nevertheless. ${next}` : next;
}
