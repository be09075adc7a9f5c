import { create } from "@bufbuild/protobuf";
import { ListProjectsResponseSchema } from "@muster/proto/auth";
import { adminOf } from "@muster/rpc";
import type { Handler } from "./handler.ts";
import { toProject } from "./messages.ts";

export const listProjects: Handler<"listProjects"> = async (context, _request, call) => {
  const caller = adminOf(call);
  if (caller.anyProject) {
    const all = await context.projects.list();
    return create(ListProjectsResponseSchema, { projects: all.map(toProject) });
  }
  const own = await context.projects.find(caller.projectId);
  return create(ListProjectsResponseSchema, { projects: own ? [toProject(own)] : [] });
};
