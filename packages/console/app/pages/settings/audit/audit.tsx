import type { AuditEntry, AuditPage } from "@muster/client";
import { type ComponentProps, useEffect, useState } from "react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Empty } from "../../../parts/empty.tsx";
import { inputShape } from "../../../parts/field.tsx";
import { useKeyNames } from "../../../parts/key-names.ts";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { When } from "../../../parts/when.tsx";
import { AuditDetails } from "./audit-details.tsx";

const names = ["actor", "action", "target", "from", "to"] as const;

const fields = {
  actor: { label: "Actor", placeholder: "key_…, tok_…" },
  action: { label: "Action", placeholder: "key.create" },
  target: { label: "Target", placeholder: "id or name" },
  from: { label: "First day", type: "date" },
  to: { label: "Last day", type: "date" },
};

/** Days of the reader's time zone as instants; `to` is the last day, and the route's is exclusive. */
function instantOf(day: string | undefined, daysLater = 0): string | undefined {
  if (day === undefined) return undefined;
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + daysLater);
  return Number.isNaN(date.getTime()) ? day : date.toISOString();
}

export function Audit() {
  const [{ entry, ...filters }, setFilters] = useFilters(...names, "entry");
  const nameOf = useKeyNames();
  const { actor, action, target, from, to } = filters;
  const query = { actor, action, target, from: instantOf(from), to: instantOf(to, 1), limit: 100 };
  return (
    <Split
      details={
        entry !== undefined && (
          <AuditDetails id={entry} query={query} onClose={() => setFilters({ entry: undefined })} />
        )
      }
    >
      <div className="grid grid-cols-5 gap-2 max-md:grid-cols-2">
        {names.map((name) => (
          <FilterField
            key={name}
            {...fields[name]}
            value={filters[name] ?? ""}
            onFilter={(value) => setFilters({ [name]: value }, { replace: true })}
          />
        ))}
      </div>
      <List<AuditPage, AuditEntry>
        label="Changes"
        path="/api/admin/audit"
        query={query}
        rowsOf={({ entries }) => entries}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/settings/audit", search: { ...filters, entry: id } })}
        columns={[
          { title: "Action", cell: ({ action }) => action },
          { title: "Target", cell: ({ target }) => <span className="font-mono text-small">{target}</span> },
          {
            title: "Actor",
            cell: ({ actor: { kind, id } }) => <Actor kind={kind} name={kind === "key" ? nameOf(id) : id} />,
          },
          ...(entry === undefined
            ? [{ title: "Outcome", width: "6.5rem", cell: ({ outcome }: AuditEntry) => outcome }]
            : []),
          { title: "When", width: "7rem", cell: ({ at }) => <When at={at} /> },
        ]}
        second={({ at, actor, target }) => (
          <>
            <When at={at} /> · {actor.kind} · {target}
          </>
        )}
        empty={
          <Empty title="No change matches" command="npx @muster/cli audit list">
            Each change to the project is an entry that no request can alter or remove.
          </Empty>
        }
      />
    </Split>
  );
}

function Actor({ kind, name }: { kind: string; name: string }) {
  return (
    <>
      <span className="text-muted">{kind}</span> {name}
    </>
  );
}

interface FilterFieldProps extends Pick<ComponentProps<"input">, "type" | "placeholder"> {
  label: string;
  value: string;
  onFilter: (value: string) => void;
}

/** A filter that the server applies: with Enter, or when the field is left. */
function FilterField({ label, value, onFilter, ...rest }: FilterFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const filter = () => text.trim() !== value && onFilter(text.trim());
  return (
    <label className="grid gap-1 text-small text-muted">
      {label}
      <input
        {...rest}
        className={`${inputShape} text-text`}
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={filter}
        onKeyDown={({ key }) => key === "Enter" && filter()}
      />
    </label>
  );
}
