import { join } from "node:path";
import { type LoadedStore, startEmbeddedStore } from "@muster/embedded-store";
import { type Bus, connectNatsBus, createInProcessBus } from "@muster/events";
import type { Metrics } from "@muster/metrics";
import type { Logger } from "@muster/service";
import type { LocalConfig } from "./config.ts";

/** The clean-up for a stop, in reverse order of the start. */
export type Closers = Array<() => Promise<unknown> | undefined>;

export interface Infrastructure {
  config: LocalConfig;
  log: Logger;
  onFatal: (error: Error) => void;
  metrics: Metrics | undefined;
  closers: Closers;
  /** An embedded store that is loaded already. */
  store: LoadedStore | undefined;
}

/** The store and the bus: embedded ones, unless the configuration names servers. */
export async function startInfrastructure(options: Infrastructure): Promise<{ uri: string; bus: Bus }> {
  const { config, log, onFatal, metrics, closers } = options;
  const uri = config.mongodbUri ?? (await startStore(options));
  const bus = config.natsUrl
    ? await connectNatsBus({ url: config.natsUrl, name: "muster-local", log, metrics, onFatal })
    : createInProcessBus({ log, metrics });
  closers.push(() => bus.close());
  return { uri, bus };
}

async function startStore({ config, log, onFatal, closers, store: loaded }: Infrastructure): Promise<string> {
  const store = await startEmbeddedStore(
    {
      directory: join(config.dataDirectory, "store"),
      directorySetting: "DATA_DIR",
      log: (line) => log.warn({ service: "store" }, line),
    },
    loaded,
  );
  void store.closed.then((error) => error && onFatal(error));
  closers.push(() => store.stop());
  return store.patientUri;
}
