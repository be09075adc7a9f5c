import { join, resolve } from "node:path";
import { ConfigError, type EnvironmentReader } from "@muster/service";

/** Users that nothing else on the machine uses, first and last included. */
export interface UidRange {
  first: number;
  last: number;
}

/** Settings of sandboxes with real programs. */
export interface BubblewrapConfig {
  /** The folder of the Linux system whose programs commands find. */
  root: string;
  /** The users that commands run as; needed, and only possible, for root. */
  uids?: UidRange;
  /** Where working copies of home directories are: a local disk, of which other users may pass the folders above. */
  homesDirectory: string;
  /** The bound of an agent's files in all. */
  maxHomeBytes: number;
}

const mib = 1024 * 1024;
const minUids = 8;
const maxUids = 10_000;

/** `SANDBOX_ROOT`, `SANDBOX_UIDS`, `SANDBOX_HOMES_DIRECTORY` and `SANDBOX_HOME_MIB`. */
export function readBubblewrapConfig(read: EnvironmentReader, dataDirectory: string): BubblewrapConfig {
  const uids = read.string("SANDBOX_UIDS");
  return {
    root: resolve(read.string("SANDBOX_ROOT") ?? "/"),
    ...(uids === undefined ? {} : { uids: readRange(uids) }),
    homesDirectory: resolve(read.string("SANDBOX_HOMES_DIRECTORY") ?? join(dataDirectory, "homes")),
    maxHomeBytes: read.integer("SANDBOX_HOME_MIB", 256, { min: 1, max: 16_384 }) * mib,
  };
}

function readRange(text: string): UidRange {
  const [, first = 0, last = 0] = (/^(\d{1,10})-(\d{1,10})$/.exec(text) ?? []).map(Number);
  const count = last - first + 1;
  if (first < 1_000 || last > 2_147_483_647 || count < minUids || count > maxUids)
    throw new ConfigError(
      "SANDBOX_UIDS",
      `must be a range of ${minUids} to ${maxUids} user ids from 1000, such as 200000-200999, not ${JSON.stringify(text)}`,
    );
  return { first, last };
}
