import { once } from "node:events";
import { parentPort } from "node:worker_threads";
import { listen } from "./listen.ts";
import { openStore } from "./open-store.ts";
import { readWorkerOptions, type WorkerMessage } from "./read-worker-options.ts";
import { StoreServer } from "./server.ts";
import { checkIntegrity } from "./storage/check-integrity.ts";
import { startSweeper } from "./storage/start-sweeper.ts";

/* The store's worker thread. Its first message contains its options; it reports its URI to its parent and stops on the next. */

const port = parentPort;
if (!port) throw new Error("store-thread.ts runs as a worker thread");
const tell = (message: WorkerMessage) => port.postMessage(message);

const [first] = await once(port, "message");
const options = readWorkerOptions(first);
const log = (line: string) => tell({ kind: "log", line });
const store = openStore(options.directory, Date.now, options.directorySetting, log);
const server = new StoreServer(store, log);
const uri = await listen(server, options, log);
if (store.database.isUnchecked) server.runInBackground(checkIntegrity(store, log));
const stopSweeper = startSweeper(store, server, options.sweepIntervalMs, log);

port.once("message", async () => {
  stopSweeper();
  await server.close();
  store.database.close();
  tell({ kind: "stopped" });
  port.close();
});
tell({ kind: "listening", uri });
