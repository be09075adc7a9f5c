import type { Format } from "@muster/language";
import { formatOf } from "@muster/language/messages";
import type { Definition } from "@muster/proto/agents";
import { invalidRequest } from "@muster/rpc";
import type { StoredSettings, VersionDocument } from "../store/documents.ts";

/** The content of a version. */
export type DefinitionParts = Pick<VersionDocument, "settings" | "protocol" | "prompts" | "references">;

/** A definition as it was sent: its values may be wrong in every way. */
export interface Draft extends Omit<DefinitionParts, "settings"> {
  settings: {
    slug: string;
    name: string;
    description?: string | undefined;
    /** Undefined if none or an unknown one was sent. */
    format: Format | undefined;
  };
}

export type NamedText = { name: string; content: string };
export type NamedDocument = NamedText & { description: string };

/** Throws INVALID_REQUEST if a part is missing. */
export function parseDefinition(definition: Definition | undefined): Draft {
  const { settings, protocol, prompts, references } = definition ?? {};
  if (settings === undefined || protocol === undefined || prompts === undefined || references === undefined) {
    throw invalidRequest("settings", "is required");
  }
  const { slug, name, description, format } = settings;
  return {
    settings: { slug, name, description, format: formatOf(format) },
    protocol,
    prompts: prompts.map(toPrompt),
    references: references.map(toReference),
  };
}

/** The stored form of a definition; undefined without a format. An empty description is not stored. */
export function storedParts({ settings, ...texts }: Draft): DefinitionParts | undefined {
  const { slug, name, description, format } = settings;
  if (format === undefined) return undefined;
  const plain: StoredSettings = { slug, name, format };
  return {
    settings: description === undefined || description === "" ? plain : { ...plain, description },
    ...texts,
  };
}

// Only these fields: a message has more than are stored.
export function toPrompt({ name, content }: NamedText): NamedText {
  return { name, content };
}

export function toReference({ name, description, content }: NamedDocument): NamedDocument {
  return { name, description, content };
}
