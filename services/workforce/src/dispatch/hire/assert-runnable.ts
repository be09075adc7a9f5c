import type { CallOptions } from "@connectrpc/connect";
import { Reason, relayedFailure, rpcError } from "@muster/rpc";
import type { Services } from "../../context.ts";
import type { StoredRunConfig } from "../../store/run-config.ts";

/** Throws MODEL_NOT_RUNNABLE with the sessions service's sentence for each model that cannot be run. */
export async function assertRunnable(
  { sessions }: Pick<Services, "sessions">,
  { model, backupModel }: StoredRunConfig,
  within: "config" | "settings",
  options: CallOptions,
): Promise<void> {
  const models = [model, backupModel].filter((id) => id !== undefined);
  if (models.length === 0) return;
  const { problems } = await sessions.checkModels({ models }, options).catch((error: unknown) => {
    throw relayedFailure(error, "The sessions service does not respond.");
  });
  if (problems.length === 0) return;
  const issues = problems.map((problem) => ({
    path: problem.model === model ? `${within}.model` : `${within}.backupModel`,
    message: problem.message,
  }));
  throw rpcError(Reason.MODEL_NOT_RUNNABLE, problems.map(({ message }) => message).join(" "), { issues });
}
