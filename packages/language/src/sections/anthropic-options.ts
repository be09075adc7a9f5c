import type { AnthropicOptions, Display, ProviderLook, ProviderSkill } from "../program.ts";
import { defaulted, object, optional, reportUnknownKeys, required } from "../readers/fields.ts";
import { defined, made, type Reader, reader, wrongType } from "../readers/readers.ts";
import { nonEmptyText, oneOf } from "../readers/value-readers.ts";
import { forbiddenKeys } from "../values/json.ts";
import { isNull } from "../yaml/syntax.ts";
import { display } from "./tools.ts";

const look = {
  display: defaulted<Display>(display, "description", "What clients see of it."),
  title: optional(nonEmptyText, "The title that clients show."),
  description: optional(nonEmptyText, "The text that clients show while it runs."),
};

const tool: Reader<ProviderLook> = made(object(look), (values) => defined(values));

/** A tool without a value has the defaults, and differs from one that is not listed. */
const listedTool: Reader<ProviderLook> = reader(
  { kind: "anyOf", shapes: [tool.shape, { kind: "null" }] },
  (node, context) => tool.read(isNull(node) ? { ...node, kind: "map", entries: new Map() } : node, context),
);

/** Versions are often dates, which YAML reads as numbers. */
const version: Reader<string> = reader(
  { kind: "anyOf", shapes: [nonEmptyText.shape, { kind: "number", integer: true, min: 0, max: 99_999_999 }] },
  (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    return typeof value === "number" ? String(value) : nonEmptyText.read(node, context);
  },
);

const skill: Reader<ProviderSkill> = made(
  object({
    type: required(
      oneOf("anthropic", "custom"),
      "Whether Anthropic or your organisation provides the skill.",
    ),
    version: optional(version, "The version of the skill. Default: the latest."),
    ...look,
  }),
  (values) => defined(values),
);

/** The ids are Anthropic's, so any text is accepted as one. */
const skills: Reader<Record<string, ProviderSkill>> = reader(
  { kind: "map", values: skill.shape },
  (node, context) => {
    if (node.kind !== "map") return wrongType(node, context, "a map from ids of skills to their settings");
    const read = [...node.entries].map(([id, { key, value }]) => {
      if (forbiddenKeys.has(id)) context.report.add("INVALID_NAME", key, `The id ${id} is not allowed.`);
      return [id, skill.read(value, context)] as const;
    });
    const complete = read.flatMap(([id, value]) => (value === undefined ? [] : [[id, value] as const]));
    return complete.length === read.length ? Object.fromEntries(complete) : undefined;
  },
);

const toolFields = {
  "web-search": optional(listedTool, "Searches the web."),
  "code-execution": optional(listedTool, "Runs code on a computer of Anthropic."),
};

/** Not read as an object, in which a key without a value counts as absent. */
const tools: Reader<AnthropicOptions["tools"]> = reader(
  { kind: "object", fields: toolFields },
  (node, context) => {
    if (node.kind !== "map")
      return wrongType(node, context, `a map with ${Object.keys(toolFields).join(", ")}`);
    reportUnknownKeys(node, toolFields, context);
    const read = (name: keyof typeof toolFields): ProviderLook | undefined => {
      const entry = node.entries.get(name);
      return entry && listedTool.read(entry.value, context);
    };
    return defined({ "web-search": read("web-search"), "code-execution": read("code-execution") });
  },
);

/** Reads `anthropic` of a thread. */
export const anthropicOptions: Reader<AnthropicOptions> = object({
  tools: defaulted(tools, {}, "Tools that Anthropic runs."),
  skills: defaulted(skills, {}, "Skills that Anthropic runs, by their ids."),
});
