import { startEmbeddedStore } from "./start.ts";

/* Runs the store as its own process. Settings: EMBEDDED_STORE_DIRECTORY (required), PORT (default: a socket in the directory, no TCP). */

try {
  const directory = process.env.EMBEDDED_STORE_DIRECTORY;
  const port = Number(process.env.PORT ?? 0);
  if (!directory) throw new Error("EMBEDDED_STORE_DIRECTORY must be set to the data directory");
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error("PORT must be from 0 to 65535");
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const store = await startEmbeddedStore({
    directory,
    directorySetting: "EMBEDDED_STORE_DIRECTORY",
    port,
    log,
  });
  process.stdout.write(`${store.uri}\n`);
  void store.closed.then((error) => {
    // The error is already in the log.
    if (error) process.exitCode = 1;
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => store.stop());
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`embedded-store cannot start: ${reason}.\n`);
  process.exit(1);
}
