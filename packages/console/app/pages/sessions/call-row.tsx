import { shownTool } from "@muster/video/calls";
import { Bot, ChevronRight, Wrench } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Json } from "../../parts/json.tsx";
import { Status } from "../../parts/status.tsx";

interface Props {
  name: string;
  state: string;
  input: Record<string, unknown> | undefined;
  error: string | undefined;
  isWorker?: boolean;
  children: ReactNode;
}

/** A call of a tool or a worker, closed unless it failed. */
export function CallRow({ name, state, input = {}, error, isWorker = false, children }: Props) {
  const [isOpen, setOpen] = useState(error !== undefined);
  useEffect(() => {
    if (error !== undefined) setOpen(true);
  }, [error]);
  const Icon = isWorker ? Bot : Wrench;
  const hasInput = Object.keys(input).length > 0;
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="group rounded-card border border-line text-table"
    >
      <summary className="flex min-h-9 list-none items-center gap-2 px-3 py-1.5">
        <ChevronRight size={14} aria-hidden="true" className="shrink-0 text-muted group-open:rotate-90" />
        <Icon size={14} aria-hidden="true" className="shrink-0 text-muted" />
        <span className="min-w-0 truncate font-medium">{shownTool(name)}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-small text-muted">
          {hasInput && inOneLine(input)}
        </span>
        <Status state={state} />
      </summary>
      {isOpen && (
        <div className="grid grid-cols-1 gap-3 border-t border-line p-3">
          {error !== undefined && <p className="break-words text-bad">{error}</p>}
          {hasInput && <Json value={input} label="the arguments" />}
          {children}
        </div>
      )}
    </details>
  );
}

/** A single text needs no name. */
function inOneLine(input: Record<string, unknown>): string {
  const [only, ...others] = Object.values(input);
  return typeof only === "string" && others.length === 0 ? only : JSON.stringify(input);
}
