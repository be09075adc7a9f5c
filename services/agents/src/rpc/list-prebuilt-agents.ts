import { create } from "@bufbuild/protobuf";
import { ListPrebuiltAgentsResponseSchema } from "@muster/proto/agents";
import { hirerOf } from "./caller.ts";
import type { Handler } from "./handler.ts";

export const listPrebuiltAgents: Handler<"listPrebuiltAgents"> = async ({ prebuilt }, _request, call) => {
  hirerOf(call);
  const agents = await prebuilt.list();
  return create(ListPrebuiltAgentsResponseSchema, {
    agents: agents.map(({ _id, slug, latestVersion, settings }) => ({
      agentId: _id,
      slug,
      version: latestVersion,
      name: settings.name,
      description: settings.description ?? "",
    })),
  });
};
