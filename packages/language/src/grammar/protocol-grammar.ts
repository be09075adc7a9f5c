import { blockKinds } from "../blocks/block-kinds.ts";
import type { Display, Format } from "../program.ts";
import { formatFields } from "../sections/sections.ts";
import { settingsFields } from "./settings-fields.ts";
import type { FieldShapes, Variant } from "./shapes.ts";

export interface Grammar {
  /** The keys of `settings.json`. */
  readonly settings: FieldShapes;
  /** The top-level keys of `protocol.yaml`. */
  readonly formats: Readonly<Record<Format, FieldShapes>>;
  /** The kinds of blocks, each with its default for `display`. */
  readonly blocks: Readonly<Record<string, Variant & { readonly defaultDisplay: Display }>>;
}

/** The language as data, from the same entries that its readers use. For JSON Schema, hover texts and documentation. */
export const protocolGrammar: Grammar = {
  settings: settingsFields,
  formats: formatFields,
  blocks: Object.fromEntries(blockKinds),
};
