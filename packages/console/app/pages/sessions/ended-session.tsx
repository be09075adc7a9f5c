import type { Agent, ExpiredSession } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { route, useApi } from "../../api.ts";
import { buttonShape } from "../../parts/button.tsx";
import { Id } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Facts, Page } from "../../parts/page.tsx";
import { Status } from "../../parts/status.tsx";
import { When } from "../../parts/when.tsx";

const crumbs = [{ label: "Sessions", to: "/sessions" }];

function ToSessions() {
  return (
    <Link to="/sessions" className={`${buttonShape} border-line bg-raised`}>
      All sessions
    </Link>
  );
}

/** A session that has expired, or that someone has deleted. */
export function ExpiredView({ session: { sessionId, agentId, createdAt } }: { session: ExpiredSession }) {
  const { data: agent } = useApi<Agent>(route`/api/agents/${agentId}`);
  return (
    <Page title={sessionId} crumbs={crumbs} aside={<Status state="expired" />}>
      <div className="mx-auto grid max-w-xl grid-cols-1 gap-6 py-10">
        <div className="grid grid-cols-1 gap-2 text-center">
          <p className="font-medium">This session has ended</p>
          <p className="text-muted">
            It was deleted, or it was not used for as long as sessions are kept. Its messages and its log are
            gone; the usage still counts its cost.
          </p>
        </div>
        <Facts
          rows={[
            ["Id", <Id key="id" id={sessionId} />],
            ["Agent", agent?.settings.name ?? agentId],
            ["Created", <When key="created" at={createdAt} />],
          ]}
        />
        <p className="text-table text-muted">
          A program that has stored the messages can restore it with{" "}
          <code className="font-mono text-small break-all">POST /api/agent-sessions/{sessionId}/restore</code>
          .
        </p>
        <div className="text-center">
          <ToSessions />
        </div>
      </div>
    </Page>
  );
}

export function UnknownView({ sessionId }: { sessionId: string }) {
  return (
    <Page title="Unknown session" crumbs={crumbs}>
      <Empty title={`There is no session ${sessionId}`}>
        <p className="mb-4">The address may be incomplete, or the session belongs to another project.</p>
        <ToSessions />
      </Empty>
    </Page>
  );
}
