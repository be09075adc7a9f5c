import type { DefinitionSource } from "@muster/language";
import type { Logger } from "@muster/service";
import { type Destination, installPrebuilt } from "./install.ts";
import { prebuiltAgentId, prebuiltProject } from "./prebuilt-project.ts";

/** The agents that ship with the platform. Installs them before their first use, for which nothing but their own users waits. */
export function createPrebuilt(context: Destination & { log: Logger }) {
  let installing: Promise<readonly DefinitionSource[]> | undefined;

  const install = (): Promise<readonly DefinitionSource[]> => {
    installing ??= (async () => {
      // The reader of folders is not needed to start.
      const { readPrebuiltFolders } = await import("./read-folders.ts");
      const sources = await readPrebuiltFolders();
      await installPrebuilt(context, sources);
      return sources;
    })().catch((error: unknown) => {
      installing = undefined;
      throw error;
    });
    return installing;
  };

  const find = async (agentId: string) => {
    await install();
    return await context.agents.find(prebuiltProject, agentId);
  };

  return {
    agents: context.agents,
    /** Begins the installation, unless a use already has. */
    prepare: async () => {
      await install().catch((error: unknown) => {
        context.log.warn(
          { err: error },
          "the pre-built agents are not installed yet; their next use tries again",
        );
      });
    },
    /** By slug. Waits for the installation, and begins it again if it failed. */
    list: async () => {
      const sources = await install();
      const agents = await Promise.all(sources.map(({ settings }) => find(prebuiltAgentId(settings.slug))));
      return agents.filter((agent) => agent !== null);
    },
    /** Undefined unless the id is that of a pre-built agent of this release or an earlier one. */
    find,
  };
}
