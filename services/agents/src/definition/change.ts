import { isDeepStrictEqual } from "node:util";
import { type UpdateAgentRequest, Format as WireFormat } from "@muster/proto/agents";
import type { Format } from "@muster/protocol";
import type { IssueInput } from "@muster/rpc";
import type { DefinitionPart } from "../store/documents.ts";
import {
  checkDescription,
  checkDisplayName,
  checkPrompts,
  checkReferences,
  checkText,
  type DefinitionParts,
  invalidRequest,
  type NamedDocument,
  type NamedText,
  storedSettings,
  toFormat,
  toPrompt,
  toReference,
} from "./parse.ts";

/** What an update asks to be different; absent parts stay. */
export interface DefinitionChange {
  protocol?: string;
  prompts?: NamedText[];
  references?: NamedDocument[];
  name?: string;
  /** The empty string removes it. */
  description?: string;
  format?: Format;
}

/** Throws INVALID_REQUEST with all that is wrong. */
export function parseChange(request: UpdateAgentRequest): DefinitionChange {
  const { protocol, prompts, references, name, description } = request;
  const format = toFormat(request.format);
  const issues = [
    ...(protocol === undefined ? [] : checkText("protocol", protocol)),
    ...checkPrompts(prompts?.prompts ?? []),
    ...checkReferences(references?.references ?? []),
    ...(name === undefined ? [] : checkDisplayName(name)),
    ...checkDescription(description),
    ...checkFormat(request.format),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  return {
    ...(protocol !== undefined && { protocol }),
    ...(prompts && { prompts: prompts.prompts.map(toPrompt) }),
    ...(references && { references: references.references.map(toReference) }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(format && { format }),
  };
}

function checkFormat(format: WireFormat): IssueInput[] {
  const fine = format === WireFormat.UNSPECIFIED || toFormat(format) !== undefined;
  return fine ? [] : [{ path: "settings.format", message: "must be interactive or worker" }];
}

/** The whole definition after the change, and what of it differs. */
export function applyChange(
  current: DefinitionParts,
  change: DefinitionChange,
): { definition: DefinitionParts; changes: DefinitionPart[] } {
  const { protocol, prompts, references, ...settings } = change;
  const definition: DefinitionParts = {
    settings: storedSettings({ ...current.settings, ...settings }),
    protocol: protocol ?? current.protocol,
    prompts: prompts ?? current.prompts,
    references: references ?? current.references,
  };
  const parts: DefinitionPart[] = ["settings", "protocol", "prompts", "references"];
  return { definition, changes: parts.filter((part) => !isDeepStrictEqual(definition[part], current[part])) };
}
