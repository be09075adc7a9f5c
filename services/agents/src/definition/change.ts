import { isDeepStrictEqual } from "node:util";
import type { Format } from "@muster/language";
import { formatOf } from "@muster/language/messages";
import { type UpdateAgentRequest, Format as WireFormat } from "@muster/proto/agents";
import { invalidRequest } from "@muster/rpc";
import type { DefinitionPart } from "../store/documents.ts";
import {
  type DefinitionParts,
  type Draft,
  type NamedDocument,
  type NamedText,
  storedParts,
  toPrompt,
  toReference,
} from "./draft.ts";

/** The parts that an update changes; absent parts stay unchanged. */
export interface DefinitionChange {
  protocol?: string;
  prompts?: NamedText[];
  references?: NamedDocument[];
  name?: string;
  /** The empty string removes it. */
  description?: string;
  format?: Format;
}

/** Throws INVALID_REQUEST for an unknown format; everything else is checked as part of the whole definition. */
export function parseChange(request: UpdateAgentRequest): DefinitionChange {
  const { protocol, prompts, references, name, description } = request;
  const format = formatOf(request.format);
  if (format === undefined && request.format !== WireFormat.UNSPECIFIED) {
    throw invalidRequest("settings.format", "must be interactive or worker");
  }
  return {
    ...(protocol !== undefined && { protocol }),
    ...(prompts && { prompts: prompts.prompts.map(toPrompt) }),
    ...(references && { references: references.references.map(toReference) }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(format && { format }),
  };
}

/** The whole definition after the change, and the parts that differ. */
export function applyChange(
  current: DefinitionParts,
  change: DefinitionChange,
): { definition: Draft; changes: DefinitionPart[] } {
  const { protocol, prompts, references, ...settings } = change;
  const definition: Draft = {
    settings: { ...current.settings, ...settings },
    protocol: protocol ?? current.protocol,
    prompts: prompts ?? current.prompts,
    references: references ?? current.references,
  };
  const after = storedParts(definition);
  const parts: DefinitionPart[] = ["settings", "protocol", "prompts", "references"];
  const changes = parts.filter((part) => !isDeepStrictEqual(after?.[part], current[part]));
  return { definition, changes };
}
