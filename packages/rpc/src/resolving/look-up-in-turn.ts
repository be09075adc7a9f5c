import { lookup } from "node:dns/promises";

/** Resolves a host name to all of its addresses, IPv4 and IPv6. Rejects if there are none. */
export type LookUp = (host: string) => Promise<string[]>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Asks the operating system, and so follows /etc/hosts and the search domains of /etc/resolv.conf. One look-up at a
 * time: each occupies a thread of Node's small pool until it ends, which takes half a minute while DNS is down. All of
 * them at once would stop the work on files.
 */
export const lookUpInTurn: LookUp = (host) => {
  const found = last.then(() => allAddresses(host));
  // The caller handles the failure; the next look-up only waits for the end.
  last = found.catch(() => undefined);
  return found;
};

async function allAddresses(host: string): Promise<string[]> {
  const records = await lookup(host, { all: true, order: "verbatim" });
  return records.map(({ address }) => address);
}
