import type { Readable, Writable } from "node:stream";

/** A stream that may be a terminal. */
export type Terminal<T> = T & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything that a command touches besides the network and the files it is told to. */
export interface Io {
  readonly stdin: Terminal<Readable>;
  readonly stdout: Terminal<Writable>;
  readonly stderr: Terminal<Writable>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. Paths on the command line are relative to it. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes Ctrl-C over until the returned function is called. Without a listener it ends the process. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

export function processIo(): Io {
  const { stdin, stdout, stderr, env } = process;
  return {
    ...{ stdin, stdout, stderr, env },
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
