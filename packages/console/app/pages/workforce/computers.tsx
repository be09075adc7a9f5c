import type { Computer, ComputerList } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { ComputerState } from "./computer-state.tsx";

const path = "/api/admin/computers";

/** Machines that dial in: shared ones, and those of single agents. */
export function Computers() {
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Computers"
      crumbs={[{ label: "Workforce", to: "/workforce" }]}
      actions={
        <Button look="primary" aria-expanded={isCreating} onClick={() => setCreating(!isCreating)}>
          New computer
        </Button>
      }
    >
      {isCreating && <Create />}
      <div className="flex max-h-full flex-col">
        <List<ComputerList, Computer>
          label="Computers"
          path={path}
          query={{ limit: 100 }}
          rowsOf={({ computers }) => computers}
          keyOf={({ id }) => id}
          linkOf={({ id }) => ({ to: "/workforce/computers/$computerId", params: { computerId: id } })}
          columns={[
            { title: "Computer", cell: ({ name }) => name },
            { title: "State", width: "9rem", cell: (computer) => <ComputerState computer={computer} /> },
            { title: "Kind", width: "10rem", cell: ({ kind, os }) => `${kind}, ${os}` },
            { title: "Agents", width: "5rem", isNumber: true, cell: ({ agentIds }) => agentIds.length },
            { title: "Last seen", width: "8rem", cell: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
          ]}
          second={(computer) => (
            <>
              <ComputerState computer={computer} /> · {computer.kind}, {computer.os}
            </>
          )}
          empty={
            <Empty
              title="No machine dials in yet"
              command='npx muster computers create "Build machine" --kind dedicated --os linux'
            >
              Agents work in sandboxes of this server. A machine of yours can be a computer for several
              agents.
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

const kinds = [
  ["dedicated linux", "A Linux machine that is always on"],
  ["dedicated windows", "A Windows machine that is always on"],
  ["mac macos", "A Mac"],
] as const;

function Create() {
  const [name, setName] = useState("");
  const [kindAndOs, setKind] = useState<string>(kinds[0][0]);
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => {
      const [kind = "", os = ""] = kindAndOs.split(" ");
      return muster.request<Computer>("POST", path, { body: { name, kind, os } });
    },
    onSuccess: async ({ id }) => {
      await refresh(path);
      await navigate({ to: "/workforce/computers/$computerId", params: { computerId: id } });
    },
  });
  return (
    <form
      className="mb-6 grid max-w-3xl gap-3 rounded-card border border-line bg-panel p-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] sm:items-end"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate();
      }}
    >
      <TextField
        label="Name"
        path="name"
        error={create.error}
        required
        autoFocus
        autoComplete="off"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Field label="Kind" path="kind" error={create.error}>
        {(controls) => (
          <select {...controls} value={kindAndOs} onChange={({ target }) => setKind(target.value)}>
            {kinds.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button type="submit" disabled={create.isPending}>
        Create
      </Button>
      <div className="sm:col-span-3 empty:hidden">
        <Failure error={create.error} />
      </div>
    </form>
  );
}
