import { hash } from "node:crypto";
import type { MachineEnvironment } from "@muster/engine";
import type { Program } from "@muster/language";
import { type Clock, createIds, type NewId } from "@muster/service";
import type { SessionsContext } from "../../context.ts";
import type { Beginning } from "../../store/session-document.ts";
import { RemoteCalls, type RemoteServices, usesServersOnDemand } from "../remote/remote-calls.ts";

export interface SettledEnvironment extends MachineEnvironment {
  /** Absent: the turn can make none. */
  remote?: RemoteCalls;
}

export interface TurnEnvironment extends SettledEnvironment {
  /** From now on, ids are random and the time passes. */
  goLive(): void;
}

/** The means that turns get from their process. */
export interface Live {
  newId: NewId;
  clock: Clock;
  /** In tokens; undefined if the model's is not known. */
  contextWindow(modelId: string): number | undefined;
}

/**
 * Adds the rules of the project's administrators for calls of tools, and its MCP servers. Throws UNAVAILABLE if they are not
 * known: a call that they forbid must not be made meanwhile.
 */
export async function withProjectSettings<E extends SettledEnvironment>(
  context: Pick<SessionsContext, "projectSettings" | keyof RemoteServices>,
  {
    projectId,
    program,
    dynamicTools = [],
  }: { projectId: string; program: Program; dynamicTools?: unknown[] },
  environment: E,
): Promise<E> {
  const { tools, workers, mcpServers } = program;
  const callable = [tools, workers, mcpServers].some((named) => Object.keys(named).length > 0);
  if (!callable && dynamicTools.length === 0 && !usesServersOnDemand(program)) return environment;
  const { approvals, ...projectServices } = await context.projectSettings.toolsOf(projectId);
  environment.ownersApprovals = approvals;
  environment.remote = new RemoteCalls(context, projectServices);
  return environment;
}

/** The environment of a turn that is not begun again. */
export function liveEnvironment({ newId, clock, contextWindow }: Live): SettledEnvironment {
  return { newId, now: () => clock.now(), contextWindow };
}

/**
 * The ids and times of a turn. Those of its first effects follow from its stored beginning, so that another process can
 * make the same effects again.
 */
export function createTurnEnvironment(
  { newId, clock, contextWindow }: Live,
  { seed, at }: Pick<Beginning, "seed" | "at">,
): TurnEnvironment {
  const startedMs = at.getTime();
  const seededId = createIds(() => startedMs, seededBytes(seed));
  let isLive = false;
  return {
    newId: (prefix) => (isLive ? newId(prefix) : seededId(prefix)),
    now: () => (isLive ? clock.now() : startedMs),
    contextWindow,
    goLive: () => {
      isLive = true;
    },
  };
}

/** Random bytes that follow from the seed, at most 64 at a time. A hash for several ids costs little more than for one. */
function seededBytes(seed: string): (size: number) => Uint8Array {
  let block = 0;
  let unused: Uint8Array = new Uint8Array();
  return (size) => {
    if (unused.length < size) unused = hash("sha512", `${seed}:${block++}`, "buffer");
    const bytes = unused.subarray(0, size);
    unused = unused.subarray(size);
    return bytes;
  };
}
