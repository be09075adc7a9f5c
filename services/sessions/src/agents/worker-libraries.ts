import type { HandlerContext } from "@connectrpc/connect";
import { type Conversation, type LibraryWorker, type WorkerLibrary, workerLimits } from "@muster/engine";
import type { Program } from "@muster/language";
import { Reason } from "@muster/proto/errors";
import { type createPrincipalSigner, readRpcError, sessionsPrincipal } from "@muster/rpc";
import { type Asker, askerOf, isOf, type Programs } from "./programs.ts";

/** More could never run in one turn; the others do not exist for it. */
const maxWorkers = 256;

export interface Reaching {
  projectId: string;
  program: Program;
  /** The versions that earlier turns of the session have used. */
  pinned: Conversation["workers"];
  /** The slugs of workers that are running: without them the turn cannot continue. */
  running?: readonly string[];
}

/** Looks up the workers of a project that a program can reach. */
export function createWorkerLibraries({
  programs,
  signer,
}: {
  programs: Programs;
  signer: ReturnType<typeof createPrincipalSigner>;
}) {
  const find = async (projectId: string, slug: string, pinned: Conversation["workers"], asker: Asker) => {
    const pin = pinned !== undefined && Object.hasOwn(pinned, slug) ? pinned[slug] : undefined;
    if (pin !== undefined) return programs.version({ projectId, ...pin }, asker);
    return programs.latest({ slug }, projectId, asker, noSuchWorker(slug));
  };

  const load = async (
    { projectId, pinned, running = [] }: Reaching,
    slug: string,
    asker: Asker,
  ): Promise<LibraryWorker> => {
    try {
      const { agentId, agentVersion, program } = await find(projectId, slug, pinned, asker);
      if (isOf(program, "worker")) return { agentId, agentVersion, program };
      const problem = `The agent ${JSON.stringify(slug)} has format ${program.format}, so it cannot run as a worker.`;
      return { problem, retryable: false };
    } catch (error) {
      if (running.includes(slug)) throw error;
      return whyMissing(slug, error);
    }
  };

  return {
    /**
     * Those that are declared, and the workers of those. A worker that is missing fails only the turn that runs it. Throws
     * if one that is running cannot be read.
     */
    open: async (reaching: Reaching, call: HandlerContext | Asker): Promise<WorkerLibrary> => {
      const library = new Map<string, LibraryWorker>();
      let slugs = Object.keys(reaching.program.workers);
      if (slugs.length === 0) return library;
      const principal = signer.sign(sessionsPrincipal(reaching.projectId));
      const asker = { ...askerOf(call), principal };
      for (let depth = 0; depth < workerLimits.depth && slugs.length > 0; depth += 1) {
        const asked = slugs.slice(0, maxWorkers - library.size);
        const found = await Promise.all(asked.map((slug) => load(reaching, slug, asker)));
        for (const [index, slug] of asked.entries()) {
          const worker = found[index];
          if (worker !== undefined) library.set(slug, worker);
        }
        slugs = [...new Set(found.flatMap(declaredBy))].filter((slug) => !library.has(slug));
      }
      return library;
    },
  };
}

function declaredBy(worker: LibraryWorker): string[] {
  return "program" in worker ? Object.keys(worker.program.workers) : [];
}

function whyMissing(slug: string, error: unknown): LibraryWorker {
  const { reason, message } = readRpcError(error);
  switch (reason) {
    case Reason.NOT_FOUND:
    case Reason.AGENT_ARCHIVED:
      return { problem: noSuchWorker(slug), retryable: false };
    case Reason.INVALID_DEFINITION:
      return { problem: `The worker ${JSON.stringify(slug)}: ${message}`, retryable: false };
    default:
      return { problem: `The worker ${JSON.stringify(slug)} could not be read; try again.`, retryable: true };
  }
}

function noSuchWorker(slug: string): string {
  return `The project has no active agent with the slug ${JSON.stringify(slug)}.`;
}
