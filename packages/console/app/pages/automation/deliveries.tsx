import { type ReactNode, useState } from "react";
import { refresh, useApi } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { useActions } from "./use-actions.ts";

interface Delivery {
  id: string;
}

interface Props<Item extends Delivery> {
  path: string;
  /** The states to filter by. */
  states: readonly string[];
  /** Shown if there is none. */
  empty: string;
  children: (delivery: Item, replay: (send: () => Promise<unknown>) => void) => ReactNode;
}

/** Deliveries, the newest first, by state. */
export function Deliveries<Item extends Delivery>({ path, states, empty, children }: Props<Item>) {
  const [status, setStatus] = useState("");
  const [limit, setLimit] = useState(20);
  const query = { limit, ...(status !== "" && { status }) };
  const { data, error } = useApi<{ deliveries: readonly Item[]; nextCursor: string | null }>(path, query);
  const replays = useActions(path);
  return (
    <Section
      title="Deliveries"
      actions={
        <select
          aria-label="State of deliveries"
          value={status}
          onChange={({ target }) => setStatus(target.value)}
          className="h-8 rounded-card border border-line bg-panel px-2 text-table max-md:h-10"
        >
          <option value="">All</option>
          {states.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      }
    >
      <Failure error={replays.error} />
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data === undefined && error !== null && <Failure error={error} onRetry={() => void refresh(path)} />}
      {data?.deliveries.length === 0 && (
        <p className="text-table text-muted">{status === "" ? empty : "No delivery has this state."}</p>
      )}
      <ul aria-label="Deliveries" className="grid text-table">
        {data?.deliveries.map((delivery) => (
          <li key={delivery.id} className="border-b border-line py-2 last:border-0">
            {children(delivery, replays.run)}
          </li>
        ))}
      </ul>
      {typeof data?.nextCursor === "string" && limit < 100 && (
        <Button look="quiet" className="mt-2" onClick={() => setLimit(100)}>
          Show up to 100
        </Button>
      )}
    </Section>
  );
}
