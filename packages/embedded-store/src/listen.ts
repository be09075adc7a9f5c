import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import type { WorkerOptions } from "./read-worker-options.ts";
import type { StoreServer } from "./server.ts";

// The kernel's limit is 103 bytes on some systems. (On Linux, 107.)
const maxSocketPathBytes = 100;

/** Starts listening and returns the driver's URI. Call it once the directory is locked. */
export async function listen(
  server: StoreServer,
  options: WorkerOptions,
  log: (line: string) => void,
): Promise<string> {
  const path = resolve(join(options.directory, "store.sock"));
  if (!options.tcp && canBeSocket(path)) {
    try {
      // A killed server leaves its socket behind; the directory lock proves that it is unused.
      rmSync(path, { force: true });
      await server.listenOnSocket(path);
      // Without `directConnection` the driver would look up the set's members by lower-cased name.
      return `mongodb://${encodeURIComponent(path)}/?directConnection=true`;
    } catch (error) {
      // Some file systems do not support sockets (virtual machines' shared folders, for example).
      log(
        `cannot listen on the socket ${path}, using TCP instead: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
  return `mongodb://${await listenOnTcp(server, options)}/?replicaSet=embedded`;
}

async function listenOnTcp(server: StoreServer, { host, port }: WorkerOptions): Promise<string> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new Error(
      `PORT ${port} is already in use on ${host}; stop the program that uses it, or choose another port`,
      { cause: error },
    );
  }
}

// The driver decodes the path twice, which would corrupt a percent sign.
function canBeSocket(path: string): boolean {
  const fits = Buffer.byteLength(path) <= maxSocketPathBytes;
  return process.platform !== "win32" && fits && !path.includes("%");
}
