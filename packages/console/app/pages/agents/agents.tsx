import type { AgentList, AgentSummary } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useCredential } from "../../frame/credential.ts";
import { buttonShape } from "../../parts/button.tsx";
import { Id } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";

export function Agents() {
  const mayChange = useCredential().permissions.includes("agents");
  return (
    <Page title="Agents" actions={mayChange && <NewAgentLink />}>
      <div className="flex max-h-full flex-col">
        <List<AgentList, AgentSummary>
          label="Agents"
          path="/api/agents"
          rowsOf={({ agents }) => agents}
          keyOf={({ id }) => id}
          linkOf={({ id }) => ({ to: "/agents/$agentId", params: { agentId: id } })}
          columns={[
            { title: "Agent", cell: ({ name }) => name },
            { title: "Slug", cell: ({ slug }) => <code className="font-mono text-small">{slug}</code> },
            { title: "Format", width: "7rem", cell: ({ format }) => format },
            {
              title: "Managed by",
              width: "8rem",
              cell: ({ managed }) =>
                managed === true ? (
                  <code className="font-mono text-small text-muted">muster apply</code>
                ) : (
                  <span className="text-muted">–</span>
                ),
            },
            { title: "Id", width: "11rem", cell: ({ id }) => <Id id={id} /> },
            { title: "Changed", width: "8rem", cell: ({ updatedAt }) => <When at={updatedAt} /> },
          ]}
          second={({ slug, format, updatedAt }) => (
            <>
              <span className="font-mono">{slug}</span> · {format} · <When at={updatedAt} />
            </>
          )}
          empty={
            <Empty
              title="There are no agents yet"
              command="npx @muster/cli agents push examples/support-chat"
              reference="Agents"
            >
              An agent is a definition: a protocol, prompts and references. Push a folder, or{" "}
              {mayChange ? "make one here." : "ask for a key with the permission agents."}
            </Empty>
          }
        />
      </div>
    </Page>
  );
}

function NewAgentLink() {
  return (
    <Link to="/agents/new" className={`${buttonShape} primary border-transparent text-white`}>
      <Plus size={14} aria-hidden="true" />
      New agent
    </Link>
  );
}
