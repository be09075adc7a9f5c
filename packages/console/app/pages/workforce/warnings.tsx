import type { NewHiredAgent } from "@muster/client";

/** The parts of the definition that will not work here. */
export function Warnings({ warnings }: Pick<NewHiredAgent, "warnings">) {
  return warnings.map(({ path, message }) => (
    <p
      key={`${path} ${message}`}
      role="status"
      className="rounded-card border border-line bg-panel px-3 py-2 text-table"
    >
      <code className="font-mono text-small text-warn">{path}</code> {message}
    </p>
  ));
}
