import type { Metrics } from "@muster/metrics";
import type { Dependency, Logger, StoreSettings } from "@muster/service";
import type { Db } from "mongodb";
import { type CollectionIndexes, ensureIndexes } from "./ensure-indexes.ts";
import { openStore } from "./open-store.ts";

export interface DatabaseOptions {
  store: StoreSettings;
  /** The service that owns the database. */
  service: string;
  indexes: readonly CollectionIndexes[];
  log: Logger;
  /** Absent: nothing is measured. */
  metrics: Metrics | undefined;
}

export interface Database {
  db: Db;
  /** Its server. */
  dependency: Dependency;
}

/** Opens the database of a service and creates its indexes. `defer` receives how to close it, also if this fails. */
export async function openDatabase(
  { store: { uri, databasePrefix }, service, indexes, log, metrics }: DatabaseOptions,
  defer: (close: () => Promise<unknown>) => void,
): Promise<Database> {
  const store = await openStore({ uri, database: `${databasePrefix}_${service}`, log, metrics });
  defer(() => store.close());
  const unmeasured = metrics?.gauge("muster_storage_full", { storage: "store" }, async () =>
    Number(await store.dependency.isStorageFull?.()),
  );
  if (unmeasured) defer(async () => unmeasured());
  await ensureIndexes(store.db, indexes);
  return { db: store.db, dependency: store.dependency };
}
