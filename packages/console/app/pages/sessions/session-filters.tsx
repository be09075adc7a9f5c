import type { AgentSummary } from "@muster/client";
import { X } from "lucide-react";
import { type SubmitEvent, useEffect, useState } from "react";
import { useFilters } from "../../frame/use-filters.ts";
import { Button } from "../../parts/button.tsx";

const control = "h-8 rounded-card border border-line bg-panel px-2 text-table max-md:h-10";

export const useSessionFilters = () => useFilters("agentSlug", "status", "metadata", "subject");

/** The filters of the list, which are in the address bar, so that a link has them. */
export function SessionFilters({ agents }: { agents: readonly AgentSummary[] }) {
  const [search, change] = useSessionFilters();
  const set = (changed: typeof search) => change(changed, { replace: true });
  const interactive = agents.filter(({ format }) => format === "interactive");
  return (
    <search className="flex flex-wrap items-center gap-2">
      <select
        aria-label="Agent"
        className={`${control} max-w-60 max-md:flex-1`}
        value={search.agentSlug ?? ""}
        onChange={({ target }) => set({ agentSlug: target.value })}
      >
        <option value="">All agents</option>
        {interactive.map(({ id, slug, name }) => (
          <option key={id} value={slug}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label="State"
        className={`${control} max-md:flex-1`}
        value={search.status ?? ""}
        onChange={({ target }) => set({ status: target.value })}
      >
        <option value="">Any state</option>
        <option value="active">active</option>
        <option value="expired">expired</option>
      </select>
      <TextFilter
        label="Metadata"
        placeholder="user=ada, plan=pro"
        value={search.metadata ?? ""}
        onChange={(metadata) => set({ metadata })}
      />
      <TextFilter
        label="Subject"
        placeholder="subject"
        value={search.subject ?? ""}
        onChange={(subject) => set({ subject })}
      />
      {Object.keys(search).length > 0 && (
        <Button
          look="quiet"
          icon={<X size={14} aria-hidden="true" />}
          onClick={() => set({ agentSlug: "", status: "", metadata: "", subject: "" })}
        >
          Clear
        </Button>
      )}
    </search>
  );
}

interface TextFilterProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** Applies on Enter and when the focus leaves: values have to be whole. */
function TextFilter({ label, placeholder, value, onChange }: TextFilterProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const apply = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit} className="max-md:w-full">
      <input
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={apply}
        className={`${control} w-44 font-mono text-small placeholder:text-muted max-md:w-full`}
      />
    </form>
  );
}
