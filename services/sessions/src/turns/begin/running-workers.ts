import type { HandlerContext } from "@connectrpc/connect";
import type { Conversation, Frame, WorkerLibrary } from "@muster/engine";
import type { Program } from "@muster/language";
import type { SessionsContext } from "../../context.ts";

/** The workers of a turn that continues. Throws if one that is running cannot be read. */
export function runningWorkers(
  { workerLibraries }: Pick<SessionsContext, "workerLibraries">,
  projectId: string,
  { program, conversation, frame }: { program: Program; conversation: Conversation; frame: Frame },
  call: HandlerContext,
): Promise<WorkerLibrary> {
  const running = frame.workers?.flatMap((worker) => worker.frame.workerSlug ?? []) ?? [];
  return workerLibraries.open({ projectId, program, pinned: conversation.workers, running }, call);
}
