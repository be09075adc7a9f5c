import type { ComputerList, NewHiredAgent, PrebuiltList } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh, useApi } from "../../api.ts";
import { buttonShape } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field, issuesAt } from "../../parts/field.tsx";
import { type At, Form, textIn } from "../../parts/form.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Secret } from "../../parts/secret.tsx";
import { useDefinedAgents } from "../../parts/use-agents.ts";
import { bodyOf, RunFields } from "./run-fields.tsx";
import { Warnings } from "./warnings.tsx";

const crumbs = [{ label: "Workforce", to: "/workforce" }];

/** Hires a teammate: its kind, its name and limits, its computer. */
export function Hire() {
  const [hired, setHired] = useState<NewHiredAgent>();
  if (hired !== undefined) return <Hired agent={hired} />;
  return (
    <Page title="Hire" crumbs={crumbs}>
      <div className="max-w-3xl">
        <Form<NewHiredAgent>
          label="Hire"
          save={(values) =>
            muster.request("POST", "/api/admin/workforce/agents", {
              body: {
                ...bodyOf(values),
                ...roleIn(textIn(values, "agentId")),
                ...computerIn(textIn(values, "computer")),
              },
            })
          }
          onSaved={(agent) => {
            setHired(agent);
            void refresh("/api/admin/workforce");
          }}
        >
          {(at) => (
            <div>
              <Section title="1. What it does">
                <Roles at={at} />
              </Section>
              <Section title="2. Name, model and limits">
                <RunFields at={at} />
              </Section>
              <Section title="3. Computer">
                <ComputerField at={at} />
              </Section>
            </div>
          )}
        </Form>
      </div>
    </Page>
  );
}

function roleIn(role = "") {
  const [kind, id = ""] = role.split(":", 2);
  if (kind === "") return {};
  return kind === "agent" ? { agentId: id } : { prebuilt: id };
}

function computerIn(computer = "") {
  const [kind = "", os = ""] = computer.split(" ", 2);
  return kind === "shared" ? { computerId: os } : { computer: { kind, os } };
}

/** Pre-built definitions, and the project's own interactive agents. */
function Roles({ at }: { at: At }) {
  const prebuilt = useApi<PrebuiltList>("/api/admin/workforce/prebuilt");
  const own = useDefinedAgents();
  const { name: field, path, error } = at("agentId");
  const issues = issuesAt(error, path);
  if (prebuilt.error !== null)
    return <Failure error={prebuilt.error} onRetry={() => void prebuilt.refetch()} />;
  if (prebuilt.data === undefined) return <Skeleton lines={3} />;
  const choices = [
    ...prebuilt.data.prebuilt.map(({ slug, ...words }) => ({ id: `prebuilt:${slug}`, ...words })),
    ...(own.data?.agents ?? [])
      .filter(({ format }) => format === "interactive")
      .map(({ id, name, description }) => ({
        ...{ id: `agent:${id}`, name, description: description || "An agent of this project." },
      })),
  ];
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2">
      <legend className="sr-only">What it does</legend>
      {choices.map(({ id, name, description }) => (
        <label
          key={id}
          className="flex cursor-pointer items-start gap-3 rounded-card border border-line bg-panel p-3 hover:border-faint has-checked:border-accent"
        >
          <input
            type="radio"
            name={field}
            value={id}
            aria-label={name}
            aria-invalid={issues.length > 0}
            className="mt-1 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="block font-medium">{name}</span>
            <span className="block text-table text-muted">{description}</span>
          </span>
        </label>
      ))}
      {issues.map(({ message }) => (
        <p key={message} className="text-small text-bad sm:col-span-2">
          {message}
        </p>
      ))}
    </fieldset>
  );
}

function ComputerField({ at }: { at: At }) {
  const { data } = useApi<ComputerList>("/api/admin/computers", { limit: 100 });
  const shared = data?.computers.filter((each) => each.shared) ?? [];
  const { name: field, ...issues } = at("computer");
  return (
    <Field
      label="Where it works"
      {...issues}
      hint="A sandbox needs no setup. A machine of yours dials in: the command for it is on the agent's page."
    >
      {(controls) => (
        <select {...controls} name={field}>
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
        <Secret text={key} name={`the key of ${name}`} />
        <p className="text-table text-muted">With this key, a pipeline can give {name} tasks.</p>
        <Warnings warnings={warnings} />
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
