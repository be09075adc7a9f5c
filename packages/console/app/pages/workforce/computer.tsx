import type { Computer, HiredAgentList } from "@muster/client";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { muster, refresh, route, useApi } from "../../api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Id } from "../../parts/copy.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Gone, isGone } from "../../parts/gone.tsx";
import { Facts, Page, Section } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { ComputerState } from "./computer-state.tsx";
import { ComputerTokens } from "./computer-tokens.tsx";

const page = getRouteApi("/workforce/computers/$computerId");

/** A machine that dials in: its connection, its agents and its tokens. */
export function ComputerPage() {
  const { computerId } = page.useParams();
  const path = route`/api/admin/computers/${computerId}`;
  const { data: computer, error, refetch } = useApi<Computer>(path);
  const navigate = useNavigate();
  return (
    <Page
      title={computer?.name ?? "Computer"}
      crumbs={[
        { label: "Workforce", to: "/workforce" },
        { label: "Computers", to: "/workforce/computers" },
      ]}
      aside={
        computer !== undefined && (
          <span className="text-table">
            <ComputerState computer={computer} />
          </span>
        )
      }
      actions={
        computer?.shared && (
          <Confirm
            label="Delete"
            title={`Delete ${computer.name}?`}
            name={computer.name}
            onConfirm={async () => {
              await muster.request("DELETE", path);
              await navigate({ to: "/workforce/computers" });
              await refresh("/api/admin/computers");
            }}
          >
            Its tokens stop working. Files on the machine stay.
          </Confirm>
        )
      }
    >
      {isGone(error) ? (
        <Gone title="This computer does not exist" to="/workforce/computers" others="All computers">
          It may have been deleted.
        </Gone>
      ) : computer === undefined ? (
        error === null ? (
          <Skeleton />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <Section title="Tokens">
            <ComputerTokens id={computerId} kind={computer.kind} />
          </Section>
          <Section title="About">
            <Facts
              rows={[
                ["Id", <Id key="id" id={computer.id} />],
                ["Kind", `${computer.kind}, ${computer.os}`],
                ["Connected", <When key="connected" at={computer.connectedAt} />],
                ["Last seen", <When key="seen" at={computer.lastSeenAt} />],
                ["Runtime", computer.runtimeVersion ?? "–"],
                ["Created", <When key="created" at={computer.createdAt} />],
                ["Agents", <Agents key="agents" ids={computer.agentIds} />],
              ]}
            />
          </Section>
        </div>
      )}
    </Page>
  );
}

function Agents({ ids }: { ids: readonly string[] }) {
  const { data } = useApi<HiredAgentList>(ids.length === 0 ? null : "/api/admin/workforce/agents", {
    limit: 100,
  });
  if (ids.length === 0) return "None";
  return ids.map((agentId) => (
    <Link
      key={agentId}
      to="/workforce/$agentId"
      params={{ agentId }}
      className="mr-3 text-accent hover:underline"
    >
      {data?.agents.find((agent) => agent.agentId === agentId)?.name ?? agentId}
    </Link>
  ));
}
