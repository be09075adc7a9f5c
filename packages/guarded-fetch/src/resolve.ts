import { lookup, Resolver } from "node:dns/promises";
import { FetchProblem } from "./fetch-problem.ts";
import type { Resolve } from "./guard.ts";

const options = { timeout: 2_000, tries: 2, maxTimeout: 4_000 };

/**
 * Asks DNS directly. The system's resolver would occupy a thread of the pool that files use, for as long as a hostile
 * name server takes, and would try the search domains of a cluster.
 */
export const resolvePublicName: Resolve = async (hostname, signal) => {
  const resolver = new Resolver(options);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
    // For the log: whether the name does not exist, or its name server does not answer.
    const [failure] = found.filter((result) => result.status === "rejected");
    if (addresses.length === 0 && failure !== undefined) throw failure.reason;
    return addresses;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
};

/** Knows the names of the operator's network. */
export const resolveLocalName: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

export function unknownHost(hostname: string, cause?: unknown): FetchProblem {
  return new FetchProblem("unknown-host", `The host ${hostname} cannot be found.`, { cause });
}
