import { modelProviders } from "@muster/language";
import type { ProviderKey } from "@muster/proto/auth";
import { badRequest } from "../../edge/errors/from-any.ts";
import { isoOf } from "../../schemas/iso.ts";

const withKeys: readonly string[] = modelProviders.filter((name) => name !== "demo");

/** Throws INVALID_REQUEST for a text that names no provider with keys. */
export function providerOf(text: string): string {
  if (withKeys.includes(text)) return text;
  throw badRequest("path", [{ path: "provider", message: `must be one of ${withKeys.join(", ")}` }]);
}

/** The public fields of a key. */
export function providerKeyJson({ provider, lastFour, createdAt, updatedAt }: ProviderKey) {
  return {
    provider,
    lastFour: lastFour || null,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(updatedAt),
  };
}
