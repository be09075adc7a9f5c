import type { DefinitionSource } from "@muster/protocol";
import type { Logger } from "@muster/service";
import type { AgentStore } from "../store/agents.ts";
import type { AgentDocument } from "../store/documents.ts";
import { type Destination, installPrebuilt } from "./install.ts";
import { prebuiltAgentId, prebuiltProject } from "./prebuilt-project.ts";
import { readPrebuiltFolders } from "./read-folders.ts";

/** The agents that ship with the platform. */
export interface Prebuilt {
  readonly agents: AgentStore;
  /** By slug. Waits for the installation, and begins it again if it failed. */
  list(): Promise<AgentDocument[]>;
  /** Undefined unless the id is that of a pre-built agent of this release or an earlier one. */
  find(agentId: string): Promise<AgentDocument | null>;
}

/** Begins to install the pre-built agents; nothing but their own users waits for it. */
export function createPrebuilt(context: Destination & { log: Logger }): Prebuilt {
  let installing: Promise<readonly DefinitionSource[]> | undefined;

  const install = (): Promise<readonly DefinitionSource[]> => {
    installing ??= (async () => {
      const sources = await readPrebuiltFolders();
      await installPrebuilt(context, sources);
      return sources;
    })().catch((error: unknown) => {
      installing = undefined;
      throw error;
    });
    return installing;
  };

  install().catch((error: unknown) => {
    context.log.warn(
      { err: error },
      "the pre-built agents are not installed yet; their next use tries again",
    );
  });

  const find = async (agentId: string) => {
    await install();
    return await context.agents.find(prebuiltProject, agentId);
  };

  return {
    agents: context.agents,
    list: async () => {
      const sources = await install();
      const agents = await Promise.all(sources.map(({ settings }) => find(prebuiltAgentId(settings.slug))));
      return agents.filter((agent) => agent !== null);
    },
    find,
  };
}
