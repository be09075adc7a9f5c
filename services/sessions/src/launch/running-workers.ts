import type { HandlerContext } from "@connectrpc/connect";
import type { Program } from "@muster/language";
import type { SessionsContext } from "../context.ts";
import type { Frame } from "../engine/boundary/frame.ts";
import type { WorkerLibrary } from "../engine/boundary/machine.ts";
import type { Conversation } from "../engine/conversation/conversation.ts";

/** The workers of a turn that continues. Throws if one that is running cannot be read. */
export function runningWorkers(
  { workerLibraries }: Pick<SessionsContext, "workerLibraries">,
  projectId: string,
  { program, conversation, frame }: { program: Program; conversation: Conversation; frame: Frame },
  call: HandlerContext,
): Promise<WorkerLibrary> {
  const running = frame.workers?.flatMap((run) => run.frame.workerSlug ?? []) ?? [];
  return workerLibraries.open({ projectId, program, pinned: conversation.workers, running }, call);
}
