import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Display, WorkerSpec } from "../program.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { toolName } from "../readers/name-readers.ts";
import { defined, mapOf } from "../readers/readers.ts";
import { nonEmptyText } from "../readers/value-readers.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { approval, approvalDoc } from "./approvals.ts";
import { checkTitle, display } from "./tools.ts";

const form = object({
  description: required(nonEmptyText, "What the worker does and when to call it, for the model."),
  display: defaulted<Display>(display, "description", "What clients see of a run."),
  title: optional(nonEmptyText, "The title that clients show instead of the worker's slug."),
  tools: defaulted(
    mapOf("tool", toolName),
    {},
    "The worker's tools, each mapped to the tool of this definition that replaces it.",
  ),
  approval: optional(approval, approvalDoc),
});

/** Reads `workers`. The compiler does not know which agents exist. */
export const workerSpecs = mapOf("worker", { shape: form.shape, read: readWorker });

function readWorker(node: SyntaxNode, context: Context, slug: string): WorkerSpec | undefined {
  if (slug === context.slug) {
    const place = context.names.workers.get(slug)?.key ?? node;
    context.report.add(
      "WORKER_CYCLE",
      place,
      `The definition ${quote(slug)} cannot declare itself as a worker.`,
    );
  }
  const values = form.read(node, context);
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  return defined({ slug, ...values });
}
