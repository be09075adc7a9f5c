/** The server, where it is installed beside this command. */
export interface InstalledServer {
  /** The processes that `serve` accepts. */
  readonly processNames: readonly string[];
  /** Runs a process until a signal stops it; resolves with its exit code. */
  readonly serve: (name: string) => Promise<number>;
}

/** Loads none of the server's processes. Undefined where only this command is installed. */
export function findServer(): Promise<InstalledServer | undefined>;
