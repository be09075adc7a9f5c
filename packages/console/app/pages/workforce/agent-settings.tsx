import type { HiredAgent, UpdatedHiredAgent } from "@muster/client";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh } from "../../api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Id } from "../../parts/copy.tsx";
import { Edited, ifUnchanged } from "../../parts/edited.tsx";
import { Form } from "../../parts/form.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { agentPath } from "./paths.ts";
import { bodyOf, RunFields } from "./run-fields.tsx";
import { Warnings } from "./warnings.tsx";

/** The settings that the form edits. A pause changes none of them. */
const partOf = ({ name, settings, approvals, capabilities, limits }: HiredAgent) => [
  ...[name, settings, approvals, capabilities, limits],
];

export function AgentSettings({ agent }: { agent: HiredAgent }) {
  const { agentId, name } = agent;
  const navigate = useNavigate();
  const [warnings, setWarnings] = useState<UpdatedHiredAgent["warnings"]>([]);
  const dismiss = async () => {
    await muster.request("DELETE", agentPath(agentId));
    await navigate({ to: "/workforce" });
    await refresh("/api/admin/workforce");
  };
  return (
    <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="mb-8 max-w-2xl">
        <Edited item={agent} partOf={partOf}>
          {(edited, saved) => (
            <Form
              label="Save"
              save={(values) =>
                muster.request<UpdatedHiredAgent>("PATCH", agentPath(agentId), {
                  body: bodyOf(values, edited),
                  headers: ifUnchanged(edited),
                })
              }
              onSaved={(changed) => {
                saved(changed);
                setWarnings(changed.warnings);
                void refresh("/api/admin/workforce");
              }}
            >
              {(at) => <RunFields at={at} agent={edited} />}
            </Form>
          )}
        </Edited>
        <Warnings warnings={warnings} />
      </div>
      <div className="min-w-0">
        <Section title="About">
          <Facts rows={factsOf(agent)} />
        </Section>
        <Section title="Fire">
          <p className="mb-3 text-table text-muted">
            Its tasks, videos, keys and the files of its computer are deleted.
          </p>
          <Confirm label={`Fire ${name}`} title={`Fire ${name}?`} name={name} onConfirm={dismiss}>
            All of its tasks, videos, keys and files are deleted. This cannot be undone.
          </Confirm>
        </Section>
      </div>
    </div>
  );
}

function factsOf(agent: HiredAgent) {
  const { agentId, slug, definition, definitionId, definitionVersion, computer, createdAt } = agent;
  const definitionPath: string = `/agents/${definitionId}`;
  return [
    ["Id", <Id key="id" id={agentId} />],
    ["Slug", slug],
    [
      "Definition",
      definitionId === null ? (
        `${definition?.slug ?? "–"} ${definitionVersion}`
      ) : (
        <Link key="definition" to={definitionPath} className="text-accent hover:underline">
          version {definitionVersion}
        </Link>
      ),
    ],
    ["Computer", `${computer.kind}, ${computer.os}: ${computer.state}`],
    ["Hired", <When key="hired" at={createdAt} />],
  ] as const;
}
