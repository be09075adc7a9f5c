import { type JsonValue, parseJson } from "@muster/language";
import { canonicalHash } from "@muster/large-data";
import type { StartSessionRequest } from "@muster/proto/sessions";
import { idempotencyKeyProblem, isIdempotencyKey, Reason, rpcError } from "@muster/rpc";
import type { NewSession } from "./new-session.ts";
import type { BeginCommand } from "./trigger-command.ts";

/** The fields that make a request a repeat of an earlier one. */
export interface Idempotency {
  key: string;
  /** Equal for requests with the same content. */
  bodyHash: string;
}

/** Throws INVALID_IDEMPOTENCY_KEY. Undefined: the request has no key. */
export function readKey({ idempotencyKey: key }: StartSessionRequest): string | undefined {
  if (key === undefined || isIdempotencyKey(key)) return key;
  throw rpcError(Reason.INVALID_IDEMPOTENCY_KEY, idempotencyKeyProblem);
}

/**
 * The hash of the parsed request: the order of keys and whitespace make no difference, nor does a default
 * that is given, nor whether the response is to be JSON.
 */
export function bodyHashOf(
  { trigger }: StartSessionRequest,
  { agent, input, metadata }: NewSession,
  command: BeginCommand,
): Promise<string> {
  const { triggerName, input: triggerInput, dynamicTools, detached, sender = null } = command;
  return canonicalHash({
    agent: { ...agent },
    input,
    metadata: [...metadata].sort(),
    triggerName,
    triggerInput,
    sender: sender && { ...sender },
    dynamicTools: dynamicTools.map((tool) => ({ ...tool })),
    outputSchemas: (trigger?.dynamicTools ?? []).map(({ outputSchemaJson }) =>
      parsedSchema(outputSchemaJson),
    ),
    detached,
    usage: trigger?.usage ?? false,
  });
}

function parsedSchema(text: string | undefined): JsonValue {
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.ok ? parsed.value : null;
}
