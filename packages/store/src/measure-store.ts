import type { Metrics } from "@muster/metrics";
import {
  type MongoClient,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoServerError,
} from "mongodb";
import { isDuplicateKey, isStoreUnavailable } from "./errors.ts";

/** MaxTimeMSExpired: the server stopped an operation that took too long. */
const maxTimeExpiredCode = 50;

/**
 * Measures the commands of a client with `monitorCommands`, its failures, and how many operations wait for a connection.
 * Returns a function that ends the last.
 */
export function measureStore(client: MongoClient, metrics: Metrics): () => void {
  const startsMs = new Map<number, number>();
  const ended = (requestId: number, operation: string) => {
    const startMs = startsMs.get(requestId);
    startsMs.delete(requestId);
    if (startMs === undefined) return;
    const durationS = (performance.now() - startMs) / 1e3;
    metrics.observe("muster_store_operation_duration_seconds", { operation }, durationS);
  };
  const failed = (failure: unknown) => {
    const kind = kindOf(failure);
    if (kind !== undefined) metrics.count("muster_store_errors_total", { kind });
  };
  client.on("commandStarted", ({ requestId }) => void startsMs.set(requestId, performance.now()));
  client.on("commandSucceeded", ({ requestId, commandName }) => ended(requestId, commandName));
  client.on("commandFailed", ({ requestId, commandName, failure }) => {
    ended(requestId, commandName);
    failed(failure);
  });
  // Without a server, operations fail before there is a command. The monitor asks it twice a second.
  client.on("serverHeartbeatFailed", ({ failure }) => failed(failure));
  return measureQueue(client, metrics);
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

/** Undefined for what is no failure of the store: a refused write is an answer. */
function kindOf(failure: unknown): "timeout" | "network" | "other" | undefined {
  if (isDuplicateKey(failure)) return undefined;
  if (
    failure instanceof MongoNetworkTimeoutError ||
    failure instanceof MongoOperationTimeoutError ||
    (failure instanceof MongoServerError && failure.code === maxTimeExpiredCode)
  )
    return "timeout";
  return isStoreUnavailable(failure) ? "network" : "other";
}
