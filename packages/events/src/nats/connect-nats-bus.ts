import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import { type ConnectionOptions, connect, Events, type NatsConnection, NatsError, nuid } from "nats";
import type { Bus } from "../bus.ts";
import { measureLag } from "../measure-lag.ts";
import { NatsBus } from "./bus.ts";
import { createNames } from "./names.ts";
import { readNatsUrl } from "./read-nats-url.ts";
import { ensureStream } from "./stream.ts";

export interface NatsBusOptions {
  /** `nats://[user:password@]host:port`, several separated by commas; `tls://` for TLS. */
  url: string;
  /** The process's name in the server's monitoring. */
  name: string;
  log: Logger;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
  /** Called once if the connection is lost permanently (credentials revoked): the process should exit. */
  onFatal(error: Error): void;
  /** Separates installations that share a server. Default `muster`. */
  namespace?: string;
  /** How long until an event taken by a dead instance goes to another one. Default 10,000. */
  redeliverAfterMs?: number;
}

// By default the client stops reconnecting after about 20 s without a server.
const connectionOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  pingInterval: 5_000,
  maxPingOut: 2,
  timeout: 2_000,
} satisfies ConnectionOptions;

/**
 * Connects to NATS JetStream and creates the stream if it is missing. Rejects if no server responds, if it
 * refuses the credentials, or if it lacks JetStream. Afterwards it reconnects indefinitely.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { url, name, log, metrics, namespace = "muster", redeliverAfterMs = 10_000 } = options;
  const names = createNames(namespace);
  const connection = await open(url, name);
  try {
    const jsm = await connection.jetstreamManager({ timeout: 5_000 });
    await ensureStream(jsm, names);
    const bus = new NatsBus({ connection, jsm, names, log, instance: nuid.next(), redeliverAfterMs });
    void watchStatus(connection, bus, log);
    void connection.closed().then((error) => {
      if (!bus.closing)
        options.onFatal(error instanceof Error ? error : new Error("The NATS connection was closed"));
    });
    return measureLag(bus, metrics);
  } catch (error) {
    await connection.close();
    throw new Error(
      `NATS at ${connection.getServer()} (set by NATS_URL) cannot be used as the event bus: ${explain(error)}`,
      {
        cause: error,
      },
    );
  }
}

async function open(url: string, name: string): Promise<NatsConnection> {
  const target = readNatsUrl(url);
  try {
    return await connect({ ...target, ...connectionOptions, name });
  } catch (error) {
    throw new Error(
      `NATS at ${target.servers.join(", ")} cannot be reached: ${explain(error)}; ` +
        "check that it is running and that NATS_URL has its address and the right credentials",
      { cause: error },
    );
  }
}

function explain(error: unknown): string {
  if (error instanceof NatsError && error.code === "503")
    return "it runs without JetStream; start it with --jetstream";
  return error instanceof Error ? error.message : String(error);
}

async function watchStatus(connection: NatsConnection, bus: NatsBus, log: Logger): Promise<void> {
  for await (const { type, data } of connection.status()) {
    if (type === Events.Disconnect) log.warn({ server: data }, "the event bus is disconnected");
    if (type === Events.Error) log.warn({ problem: data }, "the event bus reports a problem");
    if (type !== Events.Reconnect) continue;
    log.info({ server: data }, "the event bus is connected again");
    void bus.rebuild();
  }
}
