import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StoreServer } from "./server.ts";
import type { WorkerOptions } from "./worker-protocol.ts";

// The kernel's limit is 103 bytes on some systems. (On Linux, 107.)
const maxSocketPathBytes = 100;

/** Listens, and returns the URI for the driver. Call it when the directory is locked. */
export async function listen(
  server: StoreServer,
  options: WorkerOptions,
  log: (line: string) => void,
): Promise<string> {
  const path = resolve(join(options.directory, "store.sock"));
  if (!options.tcp && canBeSocket(path)) {
    try {
      // What a killed server left; nobody else can be using it while we hold the directory.
      rmSync(path, { force: true });
      await server.listenOnSocket(path);
      // Without `directConnection` the driver would look for the set's members, by names in lower case.
      return `mongodb://${encodeURIComponent(path)}/?directConnection=true`;
    } catch (error) {
      // Some file systems have no sockets (shared folders of virtual machines, for example).
      log(`no socket at ${path}, using TCP: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return `mongodb://${await server.listen(options.host, options.port)}/?replicaSet=embedded`;
}

// The driver decodes the path twice, so a percent sign would change it.
function canBeSocket(path: string): boolean {
  const fits = Buffer.byteLength(path) <= maxSocketPathBytes;
  return process.platform !== "win32" && fits && !path.includes("%");
}
