import type { Context } from "../context.ts";
import type { Computer, Display, SkillSpec } from "../program.ts";
import { defaulted, object, optional } from "../readers/fields.ts";
import { defined, mapOf } from "../readers/readers.ts";
import { nonEmptyText, text } from "../readers/value-readers.ts";
import { isNull, type SyntaxNode } from "../yaml/syntax.ts";
import { approval, approvalDoc } from "./approvals.ts";
import { computer, contextRetention, contextRetentionDoc } from "./computers.ts";
import { checkTitle, display } from "./tools.ts";

const form = object({
  description: optional(
    text,
    "When to use the skill, for the model. Default: the description in its SKILL.md.",
  ),
  display: defaulted<Display>(display, "description", "What clients see of the skill's work."),
  title: optional(nonEmptyText, "The title that clients show instead of the skill's name."),
  execution: defaulted<Computer>(
    computer,
    "sandbox",
    "Where its scripts run: on a computer of the platform or on the user's device.",
  ),
  contextRetention: optional(contextRetention, contextRetentionDoc),
  approval: optional(approval, approvalDoc),
});

/** Reads `skills`. A skill without a value is described by its folder. */
export const skillSpecs = mapOf("skill", {
  shape: { kind: "anyOf", shapes: [form.shape, { kind: "null" }] },
  read: readSkill,
});

function readSkill(node: SyntaxNode, context: Context, slug: string): SkillSpec | undefined {
  const values = form.read(isNull(node) ? { ...node, kind: "map", entries: new Map() } : node, context);
  if (values !== undefined) checkTitle(values, node, context);
  return values && defined({ slug, ...values });
}
