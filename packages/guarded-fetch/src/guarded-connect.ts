import type { Socket } from "node:net";
import { Deadline } from "./deadline.ts";
import { FetchProblem } from "./fetch-problem.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { problemOf } from "./problem-of.ts";

export interface ConnectOptions {
  /** Until the connection is there. Default: 10 s. */
  timeoutMs?: number;
  /** Narrows which hosts may be connected to. */
  mayVisit?: (url: URL) => boolean;
}

/**
 * Opens a TCP connection to the host and the port of an https URL, for a caller who speaks TLS over it. The rules are those of a
 * fetch of that URL. Rejects with FetchProblem, or with the reason of the signal.
 */
export type GuardedConnect = (url: URL, options?: ConnectOptions, signal?: AbortSignal) => Promise<Socket>;

export function createGuardedConnect(guardOptions: GuardOptions = {}): GuardedConnect {
  const guard = createGuard(guardOptions);
  return async (url, { timeoutMs = 10_000, mayVisit = () => true } = {}, signal) => {
    guard.check(url);
    if (!mayVisit(url)) throw new FetchProblem("not-allowed", `${url.origin} may not be visited.`);
    const { createConnector } = await import("./connector.ts");
    const deadline = new Deadline(timeoutMs, signal);
    const connect = createConnector(guard, guardOptions, url.origin, deadline.signal);
    const { hostname, host, port } = url;
    try {
      const socket = await new Promise<Socket>((resolve, reject) => {
        // Not TLS: that is between the caller and the host.
        connect({ hostname, host, protocol: "http:", port: port || "443" }, (error, socket) => {
          if (error) reject(error);
          else resolve(socket);
        });
      });
      deadline.lift();
      return socket.once("close", () => deadline.end());
    } catch (error) {
      const problem = problemOf(error, deadline.signal);
      deadline.end();
      throw problem;
    }
  };
}
