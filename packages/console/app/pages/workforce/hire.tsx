import type { AgentList, ComputerList, NewHiredAgent, PrebuiltList } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh, useApi } from "../../api.ts";
import { Button, buttonShape } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field } from "../../parts/field.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { bodyOf, emptyDraft, RunFields } from "./run-fields.tsx";
import { Secret } from "./secret.tsx";

const crumbs = [{ label: "Workforce", to: "/workforce" }];

/** Where the new agent works. `own …`: a machine of its own that dials in. */
type Computer = string;

/** Hires a teammate: what it is, its name and limits, its computer. */
export function Hire() {
  const [role, setRole] = useState("");
  const [computer, setComputer] = useState<Computer>("sandbox linux");
  const [draft, setDraft] = useState(emptyDraft);
  const hire = useMutation({
    mutationFn: () =>
      muster.request<NewHiredAgent>("POST", "/api/admin/workforce/agents", {
        body: { ...bodyOf(draft), ...roleBody(role), ...computerBody(computer) },
      }),
    onSuccess: () => refresh("/api/admin/workforce"),
  });
  if (hire.data !== undefined) return <Hired agent={hire.data} />;
  return (
    <Page title="Hire" crumbs={crumbs}>
      <form
        className="max-w-3xl"
        onSubmit={(event) => {
          event.preventDefault();
          hire.mutate();
        }}
      >
        <Section title="1. What it does">
          <Roles
            role={role}
            onChoose={(chosen, name) => {
              setRole(chosen);
              if (draft.name === "") setDraft({ ...draft, name });
            }}
          />
        </Section>
        <Section title="2. Name, model and limits">
          <RunFields
            draft={draft}
            error={hire.error}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
        </Section>
        <Section title="3. Computer">
          <Computers computer={computer} error={hire.error} onChoose={setComputer} />
        </Section>
        <div className="grid gap-3">
          <Failure error={hire.error} />
          <div>
            <Button type="submit" look="primary" disabled={hire.isPending || role === ""}>
              {hire.isPending ? "Hiring …" : "Hire"}
            </Button>
          </div>
        </div>
      </form>
    </Page>
  );
}

function roleBody(role: string) {
  const [kind, id = ""] = role.split(":", 2);
  return kind === "agent" ? { agentId: id } : { prebuilt: id };
}

function computerBody(computer: Computer) {
  const [kind = "sandbox", os = "linux"] = computer.split(" ", 2);
  return kind === "shared" ? { computerId: os } : { computer: { kind, os } };
}

/** Pre-built definitions, and the project's own interactive agents. */
function Roles({ role, onChoose }: { role: string; onChoose: (role: string, name: string) => void }) {
  const prebuilt = useApi<PrebuiltList>("/api/admin/workforce/prebuilt");
  const own = useApi<AgentList>("/api/agents", { limit: 100 });
  if (prebuilt.error !== null) return <Failure error={prebuilt.error} />;
  if (prebuilt.data === undefined) return <Skeleton lines={3} />;
  const choices = [
    ...prebuilt.data.prebuilt.map(({ slug, name, description }) => ({
      id: `prebuilt:${slug}`,
      name,
      description,
    })),
    ...(own.data?.agents ?? [])
      .filter(({ format }) => format === "interactive")
      .map(({ id, name, description }) => ({
        ...{ id: `agent:${id}`, name, description: description ?? "An agent of this project." },
      })),
  ];
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="sr-only">What it does</legend>
      {choices.map(({ id, name, description }) => (
        <label
          key={id}
          className="flex cursor-pointer gap-3 rounded-card border border-line bg-panel p-3 hover:border-faint has-checked:border-accent"
        >
          <input
            type="radio"
            name="role"
            aria-label={name}
            className="mt-1"
            checked={role === id}
            onChange={() => onChoose(id, id.startsWith("prebuilt:") ? name : name)}
          />
          <span className="min-w-0">
            <span className="block font-medium">{name}</span>
            <span className="block text-table text-muted">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ComputersProps {
  computer: Computer;
  error: Error | null;
  onChoose: (computer: Computer) => void;
}

function Computers({ computer, error, onChoose }: ComputersProps) {
  const { data } = useApi<ComputerList>("/api/admin/computers", { limit: 100 });
  const shared = data?.computers.filter((each) => each.shared) ?? [];
  return (
    <Field
      label="Where it works"
      error={error}
      path="computer"
      hint="A sandbox needs nothing. A machine of yours dials in: its command is on the agent's page."
    >
      {(controls) => (
        <select {...controls} value={computer} onChange={({ target }) => onChoose(target.value)}>
          <option value="sandbox linux">A sandbox of this server</option>
          <option value="dedicated linux">A Linux machine of yours</option>
          <option value="dedicated windows">A Windows machine of yours</option>
          <option value="mac macos">A Mac of yours</option>
          <option value="cli linux">A terminal of yours, while you watch</option>
          {shared.map(({ id, name }) => (
            <option key={id} value={`shared ${id}`}>
              {name}, with other agents
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The only moment at which the agent's first key can be read. */
function Hired({ agent: { agentId, name, key, warnings } }: { agent: NewHiredAgent }) {
  return (
    <Page title={`${name} is hired`} crumbs={crumbs}>
      <div className="grid max-w-2xl gap-4">
        <Secret text={key}>The key of {name}, with which a pipeline can give it tasks.</Secret>
        {warnings.map(({ path, message }) => (
          <p
            key={`${path} ${message}`}
            className="rounded-card border border-line bg-panel px-3 py-2 text-table"
          >
            <code className="font-mono text-small text-warn">{path}</code> {message}
          </p>
        ))}
        <div>
          <Link
            to="/workforce/$agentId"
            params={{ agentId }}
            className={`${buttonShape} primary border-transparent text-white`}
          >
            Give {name} a task
          </Link>
        </div>
      </div>
    </Page>
  );
}
