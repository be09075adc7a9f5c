import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import {
  computerToolParameters,
  isComputerNamespace,
  matchesPattern,
  platformNamespace,
} from "../names/names.ts";
import type { Computer, McpServerSpec, McpSource } from "../program.ts";
import { defaulted, object, optional, required, type Values } from "../readers/fields.ts";
import { defined, mapOf, type Reader } from "../readers/readers.ts";
import { nonEmptyText, oneOf } from "../readers/value-readers.ts";
import { placeOf, type SyntaxNode } from "../yaml/syntax.ts";
import { approval, approvalDoc, checkApproval } from "./approvals.ts";
import { computer, contextRetention, contextRetentionDoc } from "./computers.ts";
import { checkTitle, display } from "./tools.ts";

export const mcpSource: Reader<McpSource> = oneOf("remote", "device", "consumer");

const fields = {
  description: required(nonEmptyText, "What the server offers, for the model."),
  source: required(
    mcpSource,
    "remote: configured for the project. consumer and device: the tools come with the trigger.",
  ),
  display: optional(display, "What clients see of a call. Default: description; stream for shell and files."),
  title: optional(nonEmptyText, "The title that clients show instead of the names of its tools."),
  connection: defaulted<McpServerSpec["connection"]>(
    oneOf("lazy", "eager"),
    "lazy",
    "lazy: the model activates the server before it sees the tools. eager: they are there from the start.",
  ),
  execution: defaulted<Computer>(computer, "sandbox", "Where a server that is a process runs."),
  contextRetention: optional(contextRetention, contextRetentionDoc),
  approval: optional(approval, approvalDoc),
  tools: optional(
    mapOf("toolPattern", object({ approval: required(approval, approvalDoc) })),
    "Rules for single tools, by name without the namespace, or by a pattern with *.",
  ),
};
const form = object(fields);

/** Reads `mcpServers`. Tools are called `namespace__tool`, so a namespace has no underscores. */
export const mcpServerSpecs = mapOf("namespace", { shape: form.shape, read: readServer });

function readServer(node: SyntaxNode, context: Context, namespace: string): McpServerSpec | undefined {
  const values = form.read(node, context);
  if (namespace === platformNamespace) {
    const place = context.names.mcpServers.get(namespace)?.key ?? node;
    context.report.add("RESERVED_NAME", place, 'The namespace "platform" is reserved for the platform.');
    return undefined;
  }
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  if (values.source === "remote") checkRegistered(node, namespace, context);
  const usual = isComputerNamespace(namespace) ? "stream" : "description";
  checkRules(values, node, namespace, context);
  return defined({ ...values, namespace, display: values.display ?? usual });
}

function checkRegistered(node: SyntaxNode, namespace: string, { names, mcpServers, report }: Context): void {
  if (mcpServers === undefined || mcpServers.includes(namespace)) return;
  const place = names.mcpServers.get(namespace)?.key ?? node;
  const text = `The project has no MCP server with the slug ${quote(namespace)}, so its tools are missing until an administrator registers it.`;
  report.add("UNREGISTERED_MCP_SERVER", place, text, { name: namespace, among: mcpServers });
}

/** The tools of a computer are known; an application may bring others under these namespaces. */
function checkRules(
  { approval, tools, source }: Values<typeof fields>,
  node: SyntaxNode,
  namespace: string,
  context: Context,
): void {
  const known = Object.entries((source === "device" && computerToolParameters[namespace]) || {});
  if (known.length === 0) return;
  const parametersOf = (matching: typeof known) =>
    matching.length === 0 ? undefined : Object.assign({}, ...matching.map(([, parameters]) => parameters));
  const written = placeOf(node, "tools");
  for (const [pattern, rule] of Object.entries(tools ?? {})) {
    const entry = written.kind === "map" ? written.entries.get(pattern) : undefined;
    const matching = known.filter(([name]) => matchesPattern(pattern, name));
    if (matching.length === 0) {
      const text = `No tool of a computer is called ${namespace}__${pattern}.`;
      const among = known.map(([name]) => name);
      context.report.add("UNMATCHED_PATTERN", entry?.key ?? node, text, { name: pattern, among });
    }
    checkApproval(rule.approval, entry?.value ?? node, parametersOf(matching), context);
  }
  checkApproval(approval, node, parametersOf(known), context);
}
