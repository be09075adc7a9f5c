import type { CapabilitySpec } from "../program.ts";
import { defaulted, object, required } from "../readers/fields.ts";
import { mcpServerName, skillName, toolName } from "../readers/name-readers.ts";
import { listOf, mapOf } from "../readers/readers.ts";
import { flag, nonEmptyText } from "../readers/value-readers.ts";

const form = object({
  description: required(nonEmptyText, "What the switch allows, for users."),
  default: required(flag, "Whether it is on unless a run sets it."),
  tools: defaulted(listOf(toolName, "tool names"), [], "The declared tools that are removed when it is off."),
  mcpServers: defaulted(
    listOf(mcpServerName, "namespaces"),
    [],
    "The declared MCP servers that are removed when it is off.",
  ),
  skills: defaulted(
    listOf(skillName, "skill slugs"),
    [],
    "The declared skills that are removed when it is off.",
  ),
});

/** Reads `capabilities`. */
export const capabilitySpecs = mapOf<CapabilitySpec>("capability", {
  shape: form.shape,
  read: (node, context, slug) => {
    const values = form.read(node, context);
    return values && { slug, ...values };
  },
});
