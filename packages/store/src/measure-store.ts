import type { Metrics } from "@muster/metrics";
import {
  type MongoClient,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoServerError,
} from "mongodb";
import { isDuplicateKey, isStoreFull, isStoreUnavailable } from "./errors.ts";

/** Is told of each operation when it has been sent: the driver's method, such as `findOneAndUpdate`, and its result. */
export type OperationWatcher = (operation: string, result: Promise<unknown>) => void;

/** MaxTimeMSExpired: the server stopped an operation that took too long. */
const maxTimeExpiredCode = 50;

interface MeasuredStore {
  operation: OperationWatcher;
  end(): void;
}

/**
 * Measures the operations of a client: returns the watcher to call, and a function that ends it. On its own it counts
 * the heartbeats that the server missed, and shows how many operations wait for a connection.
 */
export function measureStore(client: MongoClient, metrics: Metrics): MeasuredStore {
  const failed = (failure: unknown) => {
    const kind = kindOf(failure);
    if (kind !== undefined) metrics.count("muster_store_errors_total", { kind });
  };
  // Calls that the service refuses during an outage never become operations. The monitor asks twice a second.
  client.on("serverHeartbeatFailed", ({ failure }) => failed(failure));
  return {
    operation: (operation, result) => {
      const startMs = performance.now();
      const ended = () => {
        const durationS = (performance.now() - startMs) / 1e3;
        metrics.observe("muster_store_operation_duration_seconds", { operation }, durationS);
      };
      result.then(ended, (failure) => {
        ended();
        failed(failure);
      });
    },
    end: measureQueue(client, metrics),
  };
}

function measureQueue(client: MongoClient, metrics: Metrics): () => void {
  let waiting = 0;
  const leave = () => {
    waiting--;
  };
  client.on("connectionCheckOutStarted", () => {
    waiting++;
  });
  client.on("connectionCheckedOut", leave);
  client.on("connectionCheckOutFailed", leave);
  return metrics.gauge("muster_queue_depth", { queue: "store_connections" }, () => waiting);
}

/** Undefined for a duplicate, which is an answer. */
function kindOf(failure: unknown): "timeout" | "network" | "other" | undefined {
  if (isDuplicateKey(failure)) return undefined;
  if (
    failure instanceof MongoNetworkTimeoutError ||
    failure instanceof MongoOperationTimeoutError ||
    (failure instanceof MongoServerError && failure.code === maxTimeExpiredCode)
  )
    return "timeout";
  return isStoreUnavailable(failure) && !isStoreFull(failure) ? "network" : "other";
}
