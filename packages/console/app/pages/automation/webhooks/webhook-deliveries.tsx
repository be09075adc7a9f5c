import type { WebhookAttempt, WebhookDelivery } from "@muster/client";
import { muster } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { plural } from "../../../parts/format.ts";
import { Status } from "../../../parts/status.tsx";
import { When } from "../../../parts/when.tsx";
import { Deliveries } from "../deliveries.tsx";

/** The events for the receiver, with every attempt. */
export function WebhookDeliveries({ path, isPaused }: { path: string; isPaused: boolean }) {
  return (
    <Deliveries<WebhookDelivery>
      path={path}
      states={["pending", "delivered", "failed"]}
      empty="No event has happened yet."
    >
      {(delivery, replay) => (
        <>
          <div className="flex flex-wrap items-center gap-x-3">
            <span className="flex-1">
              <Status state={delivery.status} /> <span className="text-muted">{delivery.type}</span>
            </span>
            <Button
              look="quiet"
              onClick={() => replay(() => muster.request("POST", `${path}/${delivery.id}/replay`))}
            >
              Replay
            </Button>
          </div>
          <details className="text-small">
            <summary className="text-muted">
              <When at={delivery.createdAt} /> · {plural(delivery.attemptCount, "attempt")}
              {delivery.nextAttemptAt !== null && isPaused && " · waits until the webhook is resumed"}
              {delivery.nextAttemptAt !== null && !isPaused && (
                <>
                  {" "}
                  · next attempt <When at={delivery.nextAttemptAt} />
                </>
              )}
            </summary>
            <ol className="mt-1 grid gap-1">
              {delivery.attempts.map((attempt) => (
                <Attempt key={attempt.at} attempt={attempt} />
              ))}
            </ol>
            <pre className="mt-1 max-h-60 overflow-auto font-mono break-all whitespace-pre-wrap">
              {delivery.payload}
            </pre>
          </details>
        </>
      )}
    </Deliveries>
  );
}

function Attempt({ attempt: { at, status, latencyMs, problem, answer } }: { attempt: WebhookAttempt }) {
  return (
    <li>
      <When at={at} /> · {status === null ? "no answer" : `HTTP ${status}`} · {latencyMs} ms
      {problem !== null && <span className="text-bad"> · {problem}</span>}
      {answer !== null && answer !== "" && (
        <span className="block font-mono break-all text-muted">{answer}</span>
      )}
    </li>
  );
}
