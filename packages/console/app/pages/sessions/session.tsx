import { type ActiveSession, type ExpiredSession, MusterError } from "@muster/client";
import { getRouteApi } from "@tanstack/react-router";
import { route, useApi } from "../../api.ts";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Page } from "../../parts/page.tsx";
import { ExpiredView, UnknownView } from "./ended-session.tsx";
import { LiveSession } from "./live-session.tsx";

const page = getRouteApi("/sessions/$sessionId");
const crumbs = [{ label: "Sessions", to: "/sessions" }];

/** One session, or why there is nothing to see. */
export function Session() {
  const { sessionId } = page.useParams();
  // Its messages are read by their own hook.
  const session = useApi<ActiveSession | ExpiredSession>(route`/api/agent-sessions/${sessionId}`, {
    limit: 1,
  });
  const { data, error } = session;
  if (error instanceof MusterError && error.status === 404) return <UnknownView sessionId={sessionId} />;
  if (data?.status === "expired") return <ExpiredView session={data} />;
  if (data !== undefined) return <LiveSession key={sessionId} session={data} />;
  return (
    <Page title={sessionId} crumbs={crumbs}>
      {error === null ? (
        <div className="grid grid-cols-1 gap-8 md:grid-cols-[5fr_6fr]">
          <Skeleton lines={5} />
          <Skeleton lines={10} />
        </div>
      ) : (
        <Failure error={error} onRetry={() => void session.refetch()} />
      )}
    </Page>
  );
}
