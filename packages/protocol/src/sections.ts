import { outputName } from "./block-kinds.ts";
import { readBlocks } from "./blocks.ts";
import { section } from "./collect-names.ts";
import type { Context } from "./context.ts";
import { quote } from "./diagnostics.ts";
import type { Block, InteractiveProgram, TriggerSpec, WorkerProgram } from "./program.ts";
import {
  checked,
  defaulted,
  defined,
  type Field,
  mapOf,
  notYet,
  object,
  optional,
  required,
  wrongType,
} from "./readers.ts";
import type { MapNode, SyntaxNode } from "./syntax.ts";
import { agentConfig } from "./thread.ts";
import { toolSpecs } from "./tools.ts";
import { text } from "./value-readers.ts";
import { resourceSpecs, variableSpecs } from "./variables.ts";

/** Checked by the table of types before any section is read. */
const readBefore = checked((node, context) => {
  if (node.kind !== "map") wrongType(node, context, "a map from type names to types");
});

const declarations = {
  input: defaulted(variableSpecs, {}),
  variables: defaulted(variableSpecs, {}),
  resources: defaulted(resourceSpecs, {}),
  types: readBefore,
  tools: defaulted(toolSpecs, {}),
  mcpServers: notYet("MCP servers are"),
  workers: notYet("Workers as tools are"),
  skills: notYet("Skills are"),
  capabilities: notYet("Capabilities are"),
};

const interactiveForm = object({
  ...declarations,
  agent: required(agentConfig),
  triggers: required(readTriggers),
  handlers: required(readHandlers),
  steps: otherFormat("steps", "worker"),
  output: otherFormat("output", "worker"),
});

const workerForm = object({
  ...declarations,
  steps: required(readSteps),
  output: optional(outputName),
  agent: otherFormat("agent", "interactive"),
  triggers: otherFormat("triggers", "interactive"),
  handlers: otherFormat("handlers", "interactive"),
});

const undeclared = { workers: {}, mcpServers: {}, skills: {}, capabilities: {}, references: {} };

export function readInteractive(root: MapNode, context: Context): InteractiveProgram | undefined {
  const values = interactiveForm(root, context);
  checkPairs(root, context);
  checkDeprecated(root, context);
  if (values === undefined) return undefined;
  const { input, variables, resources, tools, agent, triggers, handlers } = values;
  return {
    format: "interactive",
    input,
    variables,
    resources,
    tools,
    ...undeclared,
    agent,
    triggers,
    handlers,
  };
}

export function readWorker(root: MapNode, context: Context): WorkerProgram | undefined {
  const values = workerForm(root, context);
  checkDeprecated(root, context);
  if (values === undefined) return undefined;
  const { input, variables, resources, tools, steps, output } = values;
  return defined({
    format: "worker" as const,
    input,
    variables,
    resources,
    tools,
    ...undeclared,
    steps,
    output,
  });
}

function otherFormat(key: string, format: string): Field<undefined> {
  return checked((node, { report }) => {
    report.add("FORMAT_MISMATCH", node, `${quote(key)} belongs to definitions of format ${format}.`);
  });
}

const triggerForm = object({ description: optional(text), input: defaulted(variableSpecs, {}) });
const triggerMap = mapOf("trigger", readTrigger);

/** `user-message:` with nothing beneath it is a trigger without input. */
function readTrigger(node: SyntaxNode, context: Context): TriggerSpec | undefined {
  if (node.kind === "scalar" && node.value === null) return { input: {} };
  const values = triggerForm(node, context);
  return values && defined(values);
}

function readTriggers(node: SyntaxNode, context: Context): Record<string, TriggerSpec> | undefined {
  if (node.kind === "map" && node.entries.size === 0) {
    context.report.add("MISSING_FIELD", node, "At least one trigger is required.");
  }
  return triggerMap(node, context);
}

function readHandlers(node: SyntaxNode, context: Context): Record<string, Block[]> | undefined {
  const triggers = context.triggerInputs;
  return mapOf("trigger", (handler, outer: Context, trigger) => {
    const readable = new Set([...(triggers.get(trigger) ?? []), ...outer.readable]);
    return readBlocks(handler, { ...outer, readable }, trigger);
  })(node, context);
}

function readSteps(node: SyntaxNode, context: Context): Block[] | undefined {
  return readBlocks(node, context, "steps");
}

/** Every trigger needs a handler, and every handler a trigger. */
function checkPairs(root: MapNode, { report }: Context): void {
  const [triggers, handlers] = [section(root, "triggers"), section(root, "handlers")];
  for (const [name, { key }] of triggers) {
    if (handlers.has(name)) continue;
    const text = `The trigger ${quote(name)} has no handler.`;
    report.add("MISSING_HANDLER", key, text, { name, among: handlers.keys() });
  }
  for (const [name, { key }] of handlers) {
    if (triggers.has(name)) continue;
    const text = `The handler ${quote(name)} has no trigger.`;
    report.add("MISSING_TRIGGER", key, text, { name, among: triggers.keys() });
  }
}

function checkDeprecated(root: MapNode, { report }: Context): void {
  const resources = root.entries.get("resources");
  if (resources === undefined) return;
  report.add(
    "DEPRECATED_FIELD",
    resources.key,
    '"resources" works, but "variables" are the way to hold state.',
  );
}
