import type { Logger } from "@muster/service";
import { type ConnectionOptions, connect, Events, type NatsConnection, NatsError, nuid } from "nats";
import type { Bus } from "../bus.ts";
import { NatsBus } from "./bus.ts";
import { createNames } from "./names.ts";
import { ensureStream } from "./stream.ts";
import { readNatsUrl } from "./url.ts";

export interface NatsBusOptions {
  /** `nats://[user:password@]host:port`, several separated by commas; `tls://` for TLS. */
  url: string;
  /** Of this process, as the server's monitoring shows it. */
  name: string;
  log: Logger;
  /** Called once when the connection is lost for good (credentials withdrawn): the process should end. */
  onFatal(error: Error): void;
  /** Keeps installations apart that share a server. `muster` */
  namespace?: string;
  /** After how long an event that a dead instance had taken goes to another one. 10,000 */
  redeliverAfterMs?: number;
}

// The defaults give up after about 20 s without a server.
const connectionOptions = {
  maxReconnectAttempts: -1,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  pingInterval: 5_000,
  maxPingOut: 2,
  timeout: 2_000,
} satisfies ConnectionOptions;

/**
 * Connects to NATS JetStream and creates the stream when it is missing. Rejects when no server answers, when it
 * refuses the credentials, or when it has no JetStream. Afterwards it reconnects for ever.
 */
export async function connectNatsBus(options: NatsBusOptions): Promise<Bus> {
  const { url, name, log, namespace = "muster", redeliverAfterMs = 10_000 } = options;
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
    return bus;
  } catch (error) {
    await connection.close();
    throw new Error(`NATS at ${connection.getServer()} cannot be used as event bus: ${explain(error)}`, {
      cause: error,
    });
  }
}

async function open(url: string, name: string): Promise<NatsConnection> {
  const target = readNatsUrl(url);
  try {
    return await connect({ ...target, ...connectionOptions, name });
  } catch (error) {
    throw new Error(
      `NATS at ${target.servers.join(", ")} cannot be reached: ${explain(error)}. ` +
        "Check that it runs and that NATS_URL names it with the right credentials.",
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
