import { definitionLimits } from "../definition-limits.ts";
import type { FieldShapes } from "./shapes.ts";

/** The keys of `settings.json`. They arrive as JSON, not as YAML, and `checkSource` checks them. */
export const settingsFields: FieldShapes = {
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
