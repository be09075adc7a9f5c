import { join, resolve } from "node:path";
import { ConfigError, type Environment, type EnvironmentReader, readEnvironment } from "@muster/service";

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

/** Settings of the computers of one process. */
export interface ComputersConfig {
  /** Where the files of sandboxes are kept: shared by all processes that may run the same agent. */
  blobsDirectory: string;
  /**
   * Hosts that commands in a sandbox may reach with `curl`, in lower case: `example.com`, `*.example.com` for the hosts below it,
   * or `*` for every public host. Private addresses stay out of reach. Empty: no network.
   */
  allowedHosts: readonly string[];
  /** Present: commands are real programs, each in a sandbox of bubblewrap. Absent: the simulated shell. */
  bubblewrap?: BubblewrapConfig;
}

const mib = 1024 * 1024;
const minUids = 8;
const maxUids = 10_000;
const maxHosts = 100;
const hostPattern = /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)$/;

/** `COMPUTER_RUNTIME`, `SANDBOX_*`, and `DATA_DIR` for the files. */
export function readComputersConfig(env: Environment): ComputersConfig {
  const read = readEnvironment(env);
  const dataDirectory = resolve(read.string("DATA_DIR") ?? "data");
  const bubblewrap = readBubblewrapConfig(read, dataDirectory);
  const runtime = read.oneOf("COMPUTER_RUNTIME", ["simulated", "bubblewrap"], "simulated");
  return {
    blobsDirectory: join(dataDirectory, "blobs"),
    allowedHosts: readHosts(read.string("SANDBOX_ALLOWED_HOSTS") ?? ""),
    ...(runtime === "bubblewrap" ? { bubblewrap } : {}),
  };
}

function readHosts(text: string): string[] {
  const hosts = text
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "");
  const wrong = hosts.find((host) => host.length > 253 || !hostPattern.test(host));
  if (wrong !== undefined) {
    throw new ConfigError(
      "SANDBOX_ALLOWED_HOSTS",
      `must be host names such as example.com or *.example.com, or *, separated by commas, not ${JSON.stringify(wrong)}`,
    );
  }
  if (hosts.length > maxHosts)
    throw new ConfigError("SANDBOX_ALLOWED_HOSTS", `must have at most ${maxHosts} hosts`);
  return [...new Set(hosts)];
}

function readBubblewrapConfig(read: EnvironmentReader, dataDirectory: string): BubblewrapConfig {
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
