import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Terminal<T> = T & { readonly isTTY?: boolean; readonly columns?: number };

/** The server, where it is installed beside this command. */
export interface InstalledServer {
  /** The processes that `serve` accepts. */
  readonly processNames: readonly string[];
  /** Whether this machine can run the commands of agents as the environment asks; undefined if that needs nothing of it. */
  checkRuntime(
    env: Record<string, string | undefined>,
  ): Promise<{ ok: boolean; message: string } | undefined>;
  /** Runs a process until a signal stops it; resolves with its exit code. */
  readonly serve: (name: string) => Promise<number>;
}

/** Everything that a command uses besides the network and the files that it was asked to read or write. */
export interface Io {
  readonly stdin: Terminal<Readable>;
  readonly stdout: Terminal<Writable>;
  readonly stderr: Terminal<Writable>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How the user started the command, such as `npx muster`. Hints begin with it. */
  readonly program: string;
  /** Absolute. Paths on the command line are relative to it. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Handles Ctrl-C until the returned function is called. Without a listener, Ctrl-C ends the process. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly server?: InstalledServer | undefined;
}

export function processIo(server?: InstalledServer): Io {
  const { stdin, stdout, stderr, env } = process;
  return {
    ...{ stdin, stdout, stderr, env, server },
    // Set by bin/muster.mjs.
    program: env.MUSTER_PROGRAM || "muster",
    cwd: process.cwd(),
    now: () => Date.now(),
    onInterrupt: (listener) => {
      process.on("SIGINT", listener);
      return () => {
        process.off("SIGINT", listener);
      };
    },
  };
}
