import { join, resolve } from "node:path";
import { ConfigError, type Environment, readEnvironment } from "@muster/service";
import { type BubblewrapConfig, readBubblewrapConfig } from "./bubblewrap/read-bubblewrap-config.ts";

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
