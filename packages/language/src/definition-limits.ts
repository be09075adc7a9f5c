/** Sizes in bytes of UTF-8, lengths in characters, counts in items. */
export const definitionLimits = {
  protocolBytes: 128 * 1024,
  prompts: 256,
  promptBytes: 64 * 1024,
  promptsBytes: 1024 * 1024,
  references: 256,
  referenceBytes: 256 * 1024,
  referencesBytes: 2 * 1024 * 1024,
  /** The agent's display name. */
  nameLength: 100,
  /** The description of the agent or of a reference. */
  descriptionLength: 1_000,
  /** Nesting of the YAML. */
  depth: 48,
  /** Tokens of the YAML, as its lexer counts them; they determine how long parsing takes. */
  lexemes: 40_000,
  /** Diagnostics of one compilation; the rest are only counted. */
  diagnostics: 200,
  /** Pairs of names compared for suggestions, in total. */
  comparisons: 20_000,
  /** Parts of prompts read to compare placeholders with mappings, in total. */
  promptParts: 50_000,
  /** Types inside types. */
  typeDepth: 24,
  /** Schema nodes of one type with all nested types expanded. */
  typeNodes: 5_000,
  /** Characters of one prompt with its includes expanded. */
  expandedPromptLength: 1024 * 1024,
  /** Conditionals inside conditionals of one prompt. */
  conditionDepth: 32,
  /** Prompts included by included prompts. */
  includeDepth: 32,
  /** The schema of an approval as JSON. */
  approvalSchemaLength: 4_096,
} as const;
