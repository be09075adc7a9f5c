import type { Context } from "../context.ts";
import { isComputerNamespace } from "../names/names.ts";
import type { Computer, McpServerSpec, McpSource } from "../program.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { defined, mapOf, type Reader } from "../readers/readers.ts";
import { nonEmptyText, oneOf } from "../readers/value-readers.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { computer, contextRetention, contextRetentionDoc } from "./computers.ts";
import { checkTitle, display } from "./tools.ts";

export const mcpSource: Reader<McpSource> = oneOf("remote", "device", "consumer");

const form = object({
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
});

// Its tools would be called platform__tool, which looks like one of the platform's own.
const reservedNamespace = "platform";

/** Reads `mcpServers`. Tools are called `namespace__tool`, so a namespace has no underscores. */
export const mcpServerSpecs = mapOf("namespace", { shape: form.shape, read: readServer });

function readServer(node: SyntaxNode, context: Context, namespace: string): McpServerSpec | undefined {
  const values = form.read(node, context);
  if (namespace === reservedNamespace) {
    const place = context.names.mcpServers.get(namespace)?.key ?? node;
    context.report.add("RESERVED_NAME", place, 'The namespace "platform" is reserved for the platform.');
    return undefined;
  }
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  const usual = isComputerNamespace(namespace) ? "stream" : "description";
  return defined({ ...values, namespace, display: values.display ?? usual });
}
