import type { Approval } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { Facts } from "../../parts/page.tsx";
import { useAgentNames } from "../../parts/use-agents.ts";
import { When } from "../../parts/when.tsx";

/** Who asks, for whom, since when and until when. */
export function ApprovalFacts({ approval }: { approval: Approval }) {
  const { agentId, agentVersion, toolName, requester, createdAt, expiresAt, status } = approval;
  const nameOf = useAgentNames();
  const place = placeOf(approval);
  const asks = requester?.name ?? requester?.id;
  return (
    <Facts
      rows={[
        [
          "Asked by",
          <>
            {nameOf(agentId)} <span className="text-muted">version {agentVersion}</span>
            {place !== undefined && (
              <>
                {" "}
                ·{" "}
                <Link to={place.to} className="text-accent underline">
                  {place.label}
                </Link>
              </>
            )}
          </>,
        ],
        ...(asks === undefined ? [] : [["For", asks] as const]),
        [
          "Tool",
          <code key="tool" className="font-mono text-small">
            {toolName}
          </code>,
        ],
        [
          status === "pending" ? "Waiting since" : "Asked",
          <>
            <When at={createdAt} />
            {status === "pending" && (
              <span className="text-muted">
                {" "}
                · expires <When at={expiresAt} />
              </span>
            )}
          </>,
        ],
      ]}
    />
  );
}

function placeOf({ sessionId, threadId, agentId }: Approval) {
  if (sessionId !== undefined) return { label: "its session", to: `/sessions/${sessionId}` };
  if (threadId === undefined) return undefined;
  return { label: "its thread", to: `/workforce/${agentId}/threads/${threadId}` };
}
