import { startEmbeddedStore } from "./start.ts";

/* Runs the store as a process of its own: EMBEDDED_STORE_DIRECTORY (required), PORT (default: no TCP port, but a socket in the directory). */

try {
  const directory = process.env.EMBEDDED_STORE_DIRECTORY;
  const port = Number(process.env.PORT ?? 0);
  if (!directory) throw new Error("EMBEDDED_STORE_DIRECTORY must name the directory for the data");
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error("PORT must be from 0 to 65535");
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const store = await startEmbeddedStore({ directory, port, log });
  process.stdout.write(`${store.uri}\n`);
  store.closed.then((error) => {
    // The line about it is in the log already.
    if (error) process.exitCode = 1;
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => store.stop());
} catch (error) {
  process.stderr.write(`The store cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
