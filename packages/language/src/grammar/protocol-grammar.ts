import { blockKinds } from "../blocks/block-kinds.ts";
import { definitionLimits } from "../definition-limits.ts";
import type { Display, Format } from "../program.ts";
import { formatFields } from "../sections/sections.ts";
import type { FieldShapes, Variant } from "./shapes.ts";

export interface Grammar {
  /** The keys of `settings.json`. */
  readonly settings: FieldShapes;
  /** The top-level keys of `protocol.yaml`. */
  readonly formats: Readonly<Record<Format, FieldShapes>>;
  /** The kinds of blocks, each with its default for `display`. */
  readonly blocks: Readonly<Record<string, Variant & { readonly defaultDisplay: Display }>>;
}

/** The keys of `settings.json`. They arrive as JSON, not as YAML, and `checkSource` checks them. */
const settingsFields: FieldShapes = {
  slug: {
    shape: { kind: "name", of: "slug", declared: false },
    doc: "The agent's identifier in URLs and in the workers of other agents; unique in the project.",
  },
  name: {
    shape: { kind: "text", nonEmpty: true, maxLength: definitionLimits.nameLength },
    doc: "The agent's display name.",
  },
  description: {
    shape: { kind: "text", nonEmpty: false, maxLength: definitionLimits.descriptionLength },
    doc: "What the agent does.",
    absent: { value: undefined },
  },
  format: {
    shape: { kind: "words", words: ["interactive", "worker"] },
    doc: "interactive for conversations, worker for one task that returns a value.",
  },
};

/** The language as data, from the same entries that its readers use. For JSON Schema, hover texts and documentation. */
export const protocolGrammar: Grammar = {
  settings: settingsFields,
  formats: formatFields,
  blocks: Object.fromEntries(blockKinds),
};
