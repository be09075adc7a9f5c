import type { HiredAgent, UpdatedHiredAgent } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { muster, refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Id } from "../../parts/copy.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Facts, Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { agentPath } from "./paths.ts";
import { bodyOf, draftOf, RunFields } from "./run-fields.tsx";

export function AgentSettings({ agent }: { agent: HiredAgent }) {
  const { agentId, name, settings, revision } = agent;
  const [draft, setDraft] = useState(() => draftOf(agent));
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () =>
      muster.request<UpdatedHiredAgent>("PATCH", agentPath(agentId), {
        body: bodyOf(draft, settings),
        headers: { "if-match": `"${revision}"` },
      }),
    onSuccess: () => refresh("/api/admin/workforce"),
  });
  const dismiss = async () => {
    await muster.request("DELETE", agentPath(agentId));
    await navigate({ to: "/workforce" });
    await refresh("/api/admin/workforce");
  };
  return (
    <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <form
        className="mb-8 grid max-w-2xl gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <RunFields
          draft={draft}
          error={save.error}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
        <Failure error={save.error} />
        <div className="flex items-center gap-3">
          <Button type="submit" look="primary" disabled={save.isPending}>
            Save
          </Button>
        </div>
      </form>
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
