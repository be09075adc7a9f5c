import { join } from "node:path";
import { failure } from "../../exit.ts";
import type { Invocation } from "../../invocation.ts";

/** The folder with the database of a Muster whose settings are those of this command. */
export function storeFolder({ io, options }: Pick<Invocation, "io" | "options">): string {
  return join(options.text("dataDir") ?? io.env.DATA_DIR ?? "data", "store");
}

/** Runs `work`, and reports a problem that the user can solve as a failure of the command. */
export async function orFailure(work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isForUser = error instanceof Error && ["BackupError", "DirectoryError"].includes(error.name);
    if (isForUser) throw failure("BACKUP_FAILED", `The data cannot be copied: ${error.message}.`);
    throw error;
  }
}
