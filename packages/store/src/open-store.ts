import type { Metrics } from "@muster/metrics";
import {
  ConfigError,
  createStorageWatch,
  type Dependency,
  type Logger,
  type StorageWatch,
} from "@muster/service";
import {
  AbstractCursor,
  Collection,
  type Db,
  MongoClient,
  type MongoClientOptions,
  type TopologyDescriptionChangedEvent,
} from "mongodb";
import { isStoreFull, StoreUnreachableError, storeOutage } from "./errors.ts";
import { measureStore, type OperationWatcher } from "./measure-store.ts";

const selectionTimeoutMs = 2_000;

export interface StoreOptions {
  /** `mongodb://` or `mongodb+srv://`. Driver settings in its query win over the defaults below. */
  uri: string;
  /** Name of the caller's database. */
  database: string;
  log: Logger;
  /** Absent: nothing is measured. */
  metrics?: Metrics | undefined;
  /** Connections per server; 50 unless set here or as `maxPoolSize` in the URI. */
  maxPoolSize?: number;
}

export interface Store {
  readonly db: Db;
  /** Resolves when the server responds; rejects within five seconds if it does not. */
  ping(): Promise<void>;
  /** The server as something that a service depends on. */
  readonly dependency: Dependency;
  /** Does not wait: operations in flight fail. Safe to call twice. */
  close(): Promise<void>;
}

// By default the driver waits 30 s for a server, indefinitely for a silent socket, and notices a frozen server after
// 20 s. With these values its monitor notices one within 2.5 s and interrupts all operations. They are repeated once
// (writes only by MongoDB's servers), which may wait another 2 s for a server: 4.5 s in total. The driver's `timeoutMS` has no effect since 7.8.
const defaults = {
  appName: "muster",
  serverSelectionTimeoutMS: selectionTimeoutMs,
  heartbeatFrequencyMS: 500,
  // Also how long the monitor waits for the response to a heartbeat.
  connectTimeoutMS: 2_000,
  // For a server that responds to heartbeats but not to commands.
  socketTimeoutMS: 4_000,
  // A deadline here would report a healthy store as dead whenever a burst queues for connections. If the server does
  // not respond, the monitor empties the queue.
  waitQueueTimeoutMS: 0,
  maxPoolSize: 50,
  // By default, a burst waits until its connections have been opened two at a time.
  maxConnecting: 10,
} satisfies MongoClientOptions;

/** Connects and checks that the server responds. Rejects with {@link StoreUnreachableError} if it does not. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const client = createClient(options);
  const measured = options.metrics && measureStore(client, options.metrics);
  watchReachability(client, options.log);
  const outages = createOutageWatch(client, { toleratedMs: selectionTimeoutMs });
  const unwatched = client.db(options.database);
  const storage = watchStorage(unwatched, options.log);
  const db = watchOperations(unwatched, (operation, result) => {
    measured?.operation(operation, result);
    result.catch(storage.failed);
  });
  const ping = async () => {
    await db.command({ ping: 1 });
  };
  const close = async () => {
    measured?.end();
    await client.close();
  };
  try {
    await client.connect();
    await ping();
  } catch (error) {
    await close();
    throw new StoreUnreachableError(hostsOf(client), error);
  }
  const dependency: Dependency = {
    name: "store",
    check: ping,
    outage: () => (outages.isDown() ? storeOutage : undefined),
    isStorageFull: storage.isFull,
  };
  return { db, ping, dependency, close };
}

/** Knows whether the store's disk is full. */
function watchStorage(db: Db, log: Logger): StorageWatch {
  const probes = db.collection<{ _id: string; at: Date }>("storage_probes");
  return createStorageWatch({
    name: "the document store",
    log,
    meansFull: isStoreFull,
    probe: () => probes.updateOne({ _id: "probe" }, { $set: { at: new Date() } }, { upsert: true }),
  });
}

/** Throws ConfigError without the driver's words, which may repeat the password. */
function createClient(options: StoreOptions): MongoClient {
  try {
    return new MongoClient(options.uri, clientOptions(options));
  } catch {
    throw new ConfigError(
      "MONGODB_URI",
      "is not a valid connection string; check its host, port and options, and write special characters of the password as %XX",
    );
  }
}

function clientOptions({ uri, maxPoolSize }: StoreOptions): MongoClientOptions {
  const inUri = namesInQuery(uri);
  const settings = { ...defaults, ...(maxPoolSize === undefined ? {} : { maxPoolSize }) };
  const wanted = Object.entries(settings).filter(([name]) => !inUri.has(name.toLowerCase()));
  // An undefined field in a filter would match documents without the field; drop it as JSON does.
  return { ...Object.fromEntries(wanted), ignoreUndefined: true };
}

function namesInQuery(uri: string): Set<string> {
  const query = uri.split("?", 2)[1] ?? "";
  return new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
}

function hostsOf(client: MongoClient): string {
  return client.options.srvHost ?? client.options.hosts.join(", ");
}

/** Logs one line when the server goes away and one when it is back, however many operations fail in between. */
function watchReachability(client: MongoClient, log: Logger): void {
  const silent = new Set<string>();
  client.on("serverHeartbeatFailed", ({ connectionId, failure }) => {
    if (silent.has(connectionId)) return;
    silent.add(connectionId);
    log.warn({ server: connectionId, problem: failure.message }, "the document store does not respond");
  });
  client.on("serverHeartbeatSucceeded", ({ connectionId }) => {
    if (silent.delete(connectionId)) log.info({ server: connectionId }, "the document store responds again");
  });
}

/** The part of a MongoClient that is watched. */
interface TopologyEvents {
  on(
    name: "topologyDescriptionChanged",
    listener: (event: Pick<TopologyDescriptionChangedEvent, "newDescription">) => void,
  ): unknown;
}

interface OutageWatch {
  /** True while no server has accepted writes for longer than the tolerated time. */
  isDown(): boolean;
}

interface OutageWatchOptions {
  /** Shorter outages, such as a restart, are waited out by the operations themselves. */
  toleratedMs: number;
  /** A monotonic time in milliseconds. */
  now?: () => number;
}

/** Knows from the driver's monitor whether an operation would wait in vain, so that calls need not try. */
export function createOutageWatch(
  client: TopologyEvents,
  { toleratedMs, now = () => performance.now() }: OutageWatchOptions,
): OutageWatch {
  let downSinceMs: number | undefined;
  client.on("topologyDescriptionChanged", ({ newDescription }) => {
    const isUp = [...newDescription.servers.values()].some(({ isWritable }) => isWritable);
    downSinceMs = isUp ? undefined : (downSinceMs ?? now());
  });
  return { isDown: () => downSinceMs !== undefined && now() - downSinceMs >= toleratedMs };
}

/**
 * The database, which reports the operations of itself, its collections and their cursors: every method that returns a
 * promise. Not what leaves it for the driver, such as sessions, bulk builders and change streams.
 */
export function watchOperations(db: Db, watch: OperationWatcher): Db {
  return intercepted(db, watched(watch));
}

/** Sees the call of a method before it happens; the returned function receives the result and returns the caller's. */
type Interceptor = (method: string | symbol) => (result: unknown) => unknown;

// The driver's own alternative, `monitorCommands`, copies each command, decodes each reply a second time and costs a
// fifth of an operation. A proxy costs about a fiftieth, and cannot miss a method.
function intercepted<Target extends object>(target: Target, intercept: Interceptor): Target {
  return new Proxy(target, {
    get: (_, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        const finish = intercept(property);
        return finish(Reflect.apply(value, target, args));
      };
    },
  });
}

const watched =
  (watch: OperationWatcher): Interceptor =>
  (method) =>
  (result) => {
    if (result instanceof Promise) watch(String(method), result);
    if (result instanceof Collection) return intercepted(result, watched(watch));
    if (result instanceof AbstractCursor)
      return watchedCursor(result, (fetched) => watch(String(method), fetched));
    return result;
  };

/** Reports what asks the server, which is not each document: they arrive in batches. */
function watchedCursor<Cursor extends AbstractCursor>(
  cursor: Cursor,
  watch: (fetched: Promise<unknown>) => void,
): Cursor {
  // Readers that share a cursor wait for the same batch.
  let isAsking = false;
  const asked = () => {
    isAsking = false;
  };
  const fetching = (isFetch: boolean) => {
    const asks = isFetch && !isAsking && isEmpty(cursor);
    return (result: unknown): unknown => {
      if (asks && result instanceof Promise) {
        isAsking = true;
        result.then(asked, asked);
        watch(result);
      }
      return result;
    };
  };
  const proxy: Cursor = intercepted(cursor, (method) => {
    // No caller waits for data from a cursor that is being closed.
    const fetched = fetching(method !== "close");
    return (result) => {
      if (result === cursor) return proxy;
      if (result instanceof AbstractCursor) return watchedCursor(result, watch);
      if (method === Symbol.asyncIterator && isObject(result))
        return intercepted(result, (step) => fetching(step === "next"));
      return fetched(result);
    };
  });
  return proxy;
}

/** True if the next document, should there be one, is still on the server. */
function isEmpty(cursor: AbstractCursor): boolean {
  return !cursor.closed && cursor.bufferedCount() === 0 && cursor.id?.isZero() !== true;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
