import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setTimeout as sleep } from "node:timers/promises";
import { Api, type Reply } from "../support/api.ts";
import { createHome } from "../support/server.ts";

const sentWithinMs = 3_000;

/** Muster as `npm start` runs it, with the monitor of its main loop. */
export interface WatchedServer {
  api: Api;
  /** The longest hold of the main loop since the last call, in milliseconds of CPU time. */
  measured(): Promise<number>;
  /** Suspends the process while requests are sent, so that it finds all of them in one moment. */
  together(requests: ReadonlyArray<() => Promise<Reply>>): Promise<Reply[]>;
  stop(): Promise<void>;
}

export async function startWatchedServer(models: string): Promise<WatchedServer> {
  const home = await createHome({ models, isWatched: true, env: { LOG_LEVEL: "error" } });
  const server = await home.start();
  const api = new Api(server.url, home.key);
  return {
    api,
    measured: async () => {
      // A hold is counted when the loop is free again.
      await sleep(50);
      return (await server.ask("hold")).longestHoldMs ?? Number.NaN;
    },
    together: (requests) => sendTogether(server.pid, requests),
    stop: async () => {
      await api.close();
      await server.stop();
      await home.remove();
    },
  };
}

async function sendTogether(pid: number, requests: ReadonlyArray<() => Promise<Reply>>): Promise<Reply[]> {
  let unsent = requests.length;
  const allSent = Promise.withResolvers<void>();
  const count = () => {
    unsent -= 1;
    if (unsent === 0) allSent.resolve();
  };
  subscribe("undici:client:sendHeaders", count);
  process.kill(pid, "SIGSTOP");
  try {
    const replies = Promise.all(requests.map((send) => send()));
    // An error ends the wait as well. Requests on other sockets are not counted.
    await Promise.race([allSent.promise, replies, sleep(sentWithinMs)]);
    process.kill(pid, "SIGCONT");
    return await replies;
  } finally {
    process.kill(pid, "SIGCONT");
    unsubscribe("undici:client:sendHeaders", count);
  }
}
