import type { ModelFailure } from "@muster/models";
import type { StreamErrorType } from "@muster/wire/error-codes";

const key = "check the provider's API key and its rights; `muster doctor` tests all keys";
const wait =
  "usually passes by itself; if it lasts, ask the provider for a higher limit or set a backupModel";
const network = "check the provider's status page and the network; a backupModel takes over meanwhile";
const request = "check the agent's definition and the caller's input";
const report =
  "a fault of Muster or an answer that it does not understand; report it with the fields of this line";

/** The remedies that an operator has for a failed model call. */
const remedyFor: Readonly<Record<StreamErrorType, string>> = {
  authentication_error: key,
  permission_error: key,
  quota_exceeded_error: "top up the account at the provider, or raise its limit",
  rate_limit_error: wait,
  provider_overloaded: wait,
  provider_timeout: `${network}; MODEL_FIRST_PART_TIMEOUT_MS and MODEL_STALL_TIMEOUT_MS set the time`,
  provider_error: network,
  validation_error: `${request}: the provider refused the request`,
  not_found_error:
    "check the model's name and that its provider is configured; `muster models` lists the models",
  protocol_error: request,
  execution_error: report,
  tool_error: report,
  internal_error: report,
  unknown_error: report,
};

/** The log fields of a failed call. Unlike `message` and `cause`, they leave out words that may repeat the conversation. */
export function logFieldsOf({ summary, errorType, provider, said, thrown }: ModelFailure) {
  return {
    problem: summary,
    errorType,
    remedy: remedyFor[errorType],
    provider,
    ...(said !== undefined && { said }),
    ...(thrown !== undefined && { thrown }),
  };
}
