import type { HookDelivery } from "@muster/client";
import { Link } from "@tanstack/react-router";
import { muster } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Status } from "../../../parts/status.tsx";
import { When } from "../../../parts/when.tsx";
import { Deliveries } from "../deliveries.tsx";

const tones = { accepted: "accent", dispatched: "good", filtered: "muted", failed: "bad" } as const;
const states = Object.keys(tones);

/** The events that senders have posted. */
export function HookDeliveries({ path, agentId }: { path: string; agentId: string }) {
  return (
    <Deliveries<HookDelivery> path={path} states={states} empty="No sender has posted an event yet.">
      {(delivery, replay) => (
        <>
          <div className="flex flex-wrap items-center gap-x-3">
            <span className="flex-1">
              <State status={delivery.status} />
              <span className="text-muted">
                {" "}
                · <When at={delivery.createdAt} />
                {delivery.replayOf !== null && " · replayed"}
              </span>
            </span>
            <Button
              look="quiet"
              onClick={() => replay(() => muster.request("POST", `${path}/${delivery.id}/replay`))}
            >
              Replay
            </Button>
          </div>
          {delivery.reason !== null && <p className="text-small text-muted">{delivery.reason}</p>}
          <div className="flex flex-wrap items-start gap-x-3 text-small">
            {delivery.threadId !== null && (
              <Link
                to={`/workforce/${agentId}/threads/${delivery.threadId}`}
                className="text-accent underline"
              >
                Its thread
              </Link>
            )}
            <details className="min-w-0 flex-1">
              <summary className="text-muted">Body, {delivery.bodyLength} characters</summary>
              <pre className="mt-1 font-mono break-all whitespace-pre-wrap">{delivery.bodyStart}</pre>
            </details>
          </div>
        </>
      )}
    </Deliveries>
  );
}

function State({ status }: { status: string }) {
  const tone = Object.entries(tones).find(([known]) => known === status)?.[1];
  return <Status state={status} {...(tone !== undefined && { tone })} />;
}
