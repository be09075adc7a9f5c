import { blocksShape, readBlocks } from "../blocks/blocks.ts";
import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import { section } from "../names/collect-names.ts";
import type { Block, Format, InteractiveProgram, TriggerSpec, WorkerProgram } from "../program.ts";
import {
  checked,
  defaulted,
  deprecated,
  type Fields,
  object,
  optional,
  reportUnknownKeys,
  required,
  someKeys,
  type Values,
} from "../readers/fields.ts";
import { returnedName } from "../readers/output-readers.ts";
import { defined, mapOf, type Reader, reader, wrongType } from "../readers/readers.ts";
import { number, text } from "../readers/value-readers.ts";
import { typeDefinition } from "../types/type-definitions.ts";
import type { MapNode, SyntaxNode } from "../yaml/syntax.ts";
import { capabilitySpecs } from "./capability-specs.ts";
import { mcpServerSpecs } from "./mcp-servers.ts";
import { onDemandMcpServerSpecs, onDemandSkillSpec } from "./on-demand.ts";
import { skillSpecs } from "./skill-specs.ts";
import { agentConfig } from "./thread.ts";
import { toolSpecs } from "./tools.ts";
import { resourceSpecs, variableSpecs } from "./variables.ts";
import { workerSpecs } from "./worker-specs.ts";

/** The type table checks this section before any other is read. */
const types = checked(
  { kind: "map", keys: "type", values: typeDefinition.shape },
  "Custom types: objects, lists and unions.",
  (node, context) => {
    if (node.kind !== "map") wrongType(node, context, "a map from type names to types");
  },
);

const declarations = {
  input: defaulted(variableSpecs, {}, "Values passed in when a session is created. They never change."),
  variables: defaulted(variableSpecs, {}, "Session state, written by the output of blocks."),
  resources: deprecated(
    defaulted(resourceSpecs, {}, "Session state, written by set-resource; clients see each write."),
    "use variables to hold state",
  ),
  types,
  tools: defaulted(toolSpecs, {}, "Tools that the model may call. The calling application executes them."),
  mcpServers: defaulted(mcpServerSpecs, {}, "MCP servers that provide tools, by namespace."),
  workers: defaulted(workerSpecs, {}, "Other agents of the project with format worker, by slug."),
  skills: defaulted(skillSpecs, {}, "Folders with instructions and scripts, by slug."),
  onDemandMcpServers: defaulted(
    onDemandMcpServerSpecs,
    {},
    "How connected MCP servers appear that mcpServers does not name, by source.",
  ),
  onDemandSkills: optional(onDemandSkillSpec, "How connected skills appear that skills does not name."),
  maxUsd: optional(number(0, 999_999_999), "The most that one turn or execution may cost, in US dollars."),
  capabilities: defaulted(capabilitySpecs, {}, "Switches that a workforce run can set, by slug."),
};

const trigger = object({
  description: optional(text, "When the trigger is used."),
  input: defaulted(
    variableSpecs,
    {},
    "Values that come with the trigger. Its handler reads them like variables.",
  ),
});

/** `user-message:` without a value is a trigger without input. */
const triggerSpec: Reader<TriggerSpec> = reader(
  { kind: "anyOf", shapes: [trigger.shape, { kind: "null" }] },
  (node, context) => {
    if (node.kind === "scalar" && node.value === null) return { input: {} };
    const values = trigger.read(node, context);
    return values && defined(values);
  },
);
const triggerMap = mapOf("trigger", triggerSpec);
const triggers = reader(triggerMap.shape, (node, context) => {
  if (node.kind === "map" && node.entries.size === 0) {
    context.report.add("MISSING_FIELD", node, "At least one trigger is required.");
  }
  return triggerMap.read(node, context);
});

const handlers = mapOf("trigger", { shape: blocksShape, read: readHandler });

function readHandler(node: SyntaxNode, context: Context, trigger: string): Block[] | undefined {
  // A misspelt handler still belongs to its trigger.
  const { triggers } = context.names;
  const meant = triggers.has(trigger) ? trigger : context.report.closest(trigger, triggers.keys())[0];
  const input = triggers.get(meant ?? trigger);
  const scope = input === undefined ? context.scope : [input, ...context.scope];
  return readBlocks(node, { ...context, scope }, trigger);
}

const steps = reader(blocksShape, (node, context) => readBlocks(node, context, "steps"));

/** The top-level keys of both formats. A new section is one entry here, and its module. */
export const formatFields = {
  interactive: {
    ...declarations,
    agent: required(agentConfig, "The main thread: its model and what the model may use."),
    triggers: required(triggers, "Events that a session responds to, by name."),
    handlers: required(handlers, "The blocks that run on each trigger."),
  },
  worker: {
    ...declarations,
    steps: required(steps, "The blocks that the worker runs."),
    output: optional(returnedName, "The variable whose value the worker returns."),
  },
} satisfies Record<Format, Fields>;

const readInteractiveKeys = someKeys(formatFields.interactive);
const readWorkerKeys = someKeys(formatFields.worker);

export function readInteractive(root: MapNode, context: Context): InteractiveProgram | undefined {
  checkKeys(root, context);
  const values = readInteractiveKeys(root, context);
  checkPairs(root, context);
  if (values === undefined) return undefined;
  const { agent, triggers, handlers } = values;
  return { format: "interactive", ...declared(values, context), agent, triggers, handlers };
}

export function readWorker(root: MapNode, context: Context): WorkerProgram | undefined {
  checkKeys(root, context);
  const values = readWorkerKeys(root, context);
  if (values === undefined) return undefined;
  const { steps, output } = values;
  return defined({ format: "worker" as const, ...declared(values, context), steps, output });
}

function declared(values: Values<typeof declarations>, { references }: Context) {
  const { types: _, ...declarations } = values;
  return defined({ ...declarations, references });
}

/** Reports a key of the other format separately from an unknown key. */
function checkKeys(root: MapNode, context: Context): void {
  const other = context.format === "interactive" ? "worker" : "interactive";
  reportUnknownKeys(root, { ...formatFields[context.format], ...formatFields[other] }, context);
  for (const [name, { value }] of root.entries) {
    if (Object.hasOwn(formatFields[context.format], name) || !Object.hasOwn(formatFields[other], name))
      continue;
    const text = `${quote(name)} belongs in definitions of format ${other}; this one has format ${context.format}.`;
    context.report.add("FORMAT_MISMATCH", value, text);
  }
}

/** Every trigger needs a handler, and every handler a trigger. */
function checkPairs(root: MapNode, { report }: Context): void {
  const [triggers, handlers] = [section(root, "triggers"), section(root, "handlers")];
  const unhandled = new Set([...triggers.keys()].filter((name) => !handlers.has(name)));
  for (const [name, { key }] of handlers) {
    if (triggers.has(name)) continue;
    const text = `The handler ${quote(name)} has no trigger.`;
    const [meant] = report.add("MISSING_TRIGGER", key, text, { name, among: triggers.keys() });
    // A suggestion at the trigger as well would be about the same mistake.
    if (meant !== undefined) unhandled.delete(meant);
  }
  for (const name of unhandled) {
    const text = `The trigger ${quote(name)} has no handler.`;
    report.add("MISSING_HANDLER", triggers.get(name)?.key ?? root, text);
  }
}
