import { createProject as create } from "../../api/projects.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";

export const createProject: AddCommand = (group, act) => {
  group
    .command("create")
    .description("Create a project. Agents, sessions and keys belong to one project.")
    .argument("<name>", "Name of the project")
    .addHelpText("after", examples("muster projects create Staging"))
    .action(
      act(async ({ args, out, api }) => {
        const project = await create(api(), args[0] ?? "");
        if (out.json) out.document(project);
        else {
          out.line(`Created project ${project.id} (${project.name}).`);
          out.hint({
            purpose: "To create a key for it",
            args: `keys create --project ${project.id} --name <name> --permission <permission>`,
          });
        }
      }),
    );
};
