import type { Computer, ComputerList } from "@muster/client";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { type At, Form, textIn } from "../../parts/form.tsx";
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
            {
              title: "Last seen",
              width: "8rem",
              isNumber: true,
              cell: ({ lastSeenAt }) => <When at={lastSeenAt} />,
            },
          ]}
          second={(computer) => (
            <>
              <ComputerState computer={computer} /> · {computer.kind}, {computer.os}
            </>
          )}
          empty={
            <Empty
              title="No machine dials in yet"
              reference="Computers"
              command='npx @muster/cli computers create "Build machine" --kind dedicated --os linux'
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
  const navigate = useNavigate();
  const save = (values: FormData) => {
    const [kind = "", os = ""] = (textIn(values, "kind") ?? "").split(" ");
    return muster.request<Computer>("POST", path, { body: { name: textIn(values, "name") ?? "", kind, os } });
  };
  const open = async ({ id }: Computer) => {
    await navigate({ to: "/workforce/computers/$computerId", params: { computerId: id } });
    await refresh(path);
  };
  return (
    <div className="mb-6 max-w-3xl rounded-card border border-line bg-panel p-4">
      <Form label="Create" look="plain" save={save} onSaved={(computer) => void open(computer)}>
        {(at) => (
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField label="Name" {...at("name")} autoFocus autoComplete="off" />
            <Kind at={at} />
          </div>
        )}
      </Form>
    </div>
  );
}

function Kind({ at }: { at: At }) {
  const { name, ...issues } = at("kind");
  return (
    <Field label="Kind" {...issues}>
      {(controls) => (
        <select {...controls} name={name}>
          {kinds.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
