/** The server, where it is installed beside this command. */
export interface InstalledServer {
  /** The processes that `serve` accepts. */
  readonly processNames: readonly string[];
  /** Runs a process until a signal stops it; resolves with its exit code. */
  readonly serve: (name: string) => Promise<number>;
}

/** Loads none of the server's processes. Undefined where only this command is installed. */
export async function findServer(): Promise<InstalledServer | undefined> {
  const url = addressOf("@muster/serve");
  if (url === undefined) return undefined;
  const module: unknown = await import(url);
  if (!isServer(module)) throw new Error(`${url} is of another version`);
  return module;
}

/** Not a dependency of this package: the published command must not contain the server. */
function addressOf(name: string): string | undefined {
  try {
    return import.meta.resolve(name);
  } catch {
    return undefined;
  }
}

function isServer(module: unknown): module is InstalledServer {
  return (
    typeof module === "object" &&
    module !== null &&
    "processNames" in module &&
    Array.isArray(module.processNames) &&
    "serve" in module &&
    typeof module.serve === "function"
  );
}
