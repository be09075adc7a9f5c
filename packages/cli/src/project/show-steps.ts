import type { JsonObject } from "@muster/language";
import { renderYaml } from "@muster/language/yaml";
import { differencesOf, showDiffs, unifiedDiff } from "../definition/differences.ts";
import type { Output, Style } from "../output.ts";
import { canonical, nameOfStep, type Resource, type Step } from "./plan-steps.ts";
import { definitionOf } from "./write-project.ts";

const signs = { create: "+", update: "~", delete: "-" } as const;
const styles: Readonly<Record<Step["action"], Style>> = { create: "green", update: "yellow", delete: "red" };

/** One line for a step: `~ update webhooks/ops: url, events`. */
export function showStep(out: Output, step: Step): void {
  const reasons = reasonsOf(step);
  const text = `${signs[step.action]} ${step.action} ${nameOfStep(step)}`;
  out.line(`${out.style(styles[step.action], text)}${reasons.length === 0 ? "" : `: ${reasons.join(", ")}`}`);
}

function reasonsOf(step: Step): string[] {
  if (step.action !== "update") return [];
  const { managed, isBehind = false } = step.stored;
  return [...step.changed, ...(managed ? [] : ["managed"]), ...(isBehind ? ["latest version"] : [])];
}

/** The step with the lines that it changes. */
export function showDifferences(out: Output, step: Step): void {
  showStep(out, step);
  const before = step.action === "create" ? undefined : step.stored;
  const after = step.action === "delete" ? undefined : step.wanted;
  const resource = after ?? before;
  if (resource === undefined || before === undefined || after === undefined) return;
  if (resource.kind.section === "agents") {
    showDiffs(
      out,
      differencesOf(definitionOf(before.name, before.fields), definitionOf(after.name, after.fields)),
    );
    return;
  }
  const changed = (each: Resource) => renderYaml(only(canonical(each), step));
  const [old, now] = [changed(before), changed(after)];
  if (old !== now) showDiffs(out, [{ diff: unifiedDiff(after.name, old, now) }]);
}

function only(fields: JsonObject, step: Step): JsonObject {
  const names: readonly string[] = step.action === "update" ? step.changed : [];
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** The steps for `--json`. */
export function stepsDocument(steps: readonly Step[]) {
  return steps.map((step) => ({ action: step.action, resource: nameOfStep(step), changes: reasonsOf(step) }));
}
