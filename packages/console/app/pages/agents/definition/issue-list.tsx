import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import { Button } from "../../../parts/button.tsx";
import { type DefinitionFile, type Located, wrongRange } from "./definition-files.ts";
import type { useIssues } from "./use-compiled.ts";

const looks = {
  error: { icon: CircleAlert, colour: "text-bad" },
  warning: { icon: TriangleAlert, colour: "text-warn" },
  info: { icon: Info, colour: "text-accent" },
};

interface Props {
  issues: readonly Located[];
  checked: ReturnType<typeof useIssues>;
  files: readonly DefinitionFile[];
  onGo: (issue: Located) => void;
  onFix: ((issue: Located, suggestion: string) => void) | undefined;
}

/** The diagnostics of the compiler and the server. Each entry leads to its place. */
export function IssueList({ issues, checked, files, onGo, onFix }: Props) {
  if (checked.error !== null)
    return (
      <p role="alert" className="text-table text-warn">
        The definition could not be checked: {checked.error.message}
      </p>
    );
  if (issues.length === 0)
    return (
      <p role="status" className="flex items-center gap-2 text-table text-muted">
        <CircleCheck
          size={16}
          aria-hidden="true"
          className={checked.isCurrent ? "text-good" : "text-muted"}
        />
        {checked.isCurrent ? "No problems" : "Checking …"}
      </p>
    );
  return (
    <section aria-label="Problems" className="rounded-card border border-line bg-panel">
      <p role="status" className="border-b border-line px-3 py-1.5 text-small text-muted">
        {summaryOf(issues)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard */}
      <ul tabIndex={0} aria-label="List of problems" className="max-h-56 overflow-auto">
        {issues.map((issue) => (
          <Entry key={`${issue.code} ${issue.path} ${issue.message}`} {...{ issue, files, onGo, onFix }} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ issue, files, onGo, onFix }: Omit<Props, "issues" | "checked"> & { issue: Located }) {
  const { severity, message, file, position, suggestions = [], path, code } = issue;
  const { icon: Icon, colour } = looks[severity];
  const text = files.find(({ name }) => name === file)?.text ?? "";
  const fixes = onFix !== undefined && wrongRange(text, issue) !== undefined ? suggestions.slice(0, 3) : [];
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-line px-3 py-1.5 text-table last:border-b-0">
      <button
        type="button"
        className="flex min-w-0 flex-1 basis-64 items-start gap-2 text-left hover:underline"
        title={`${code} ${path}`}
        onClick={() => onGo(issue)}
      >
        <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${colour}`} />
        <span className="min-w-0">
          <span className="sr-only">{severity}: </span>
          <span className="break-words">{message}</span>{" "}
          <span className="font-mono text-small whitespace-nowrap text-muted">
            {file}
            {position !== undefined && `:${position.line}:${position.column}`}
          </span>
        </span>
      </button>
      {fixes.map((suggestion) => (
        <Button key={suggestion} className="h-7! px-2!" onClick={() => onFix?.(issue, suggestion)}>
          Use {suggestion}
        </Button>
      ))}
    </li>
  );
}

function summaryOf(issues: readonly Located[]): string {
  const counts = (["error", "warning", "info"] as const).map((kind) => {
    const count = issues.filter(({ severity }) => severity === kind).length;
    const word = kind === "info" ? "hint" : kind;
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
  });
  return counts.flat().join(", ");
}
