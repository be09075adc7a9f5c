import { filesOf } from "@muster/language/folder";
import { type Agent, getAgent } from "../../api/agents.ts";
import type { AddCommand } from "../../invocation.ts";
import type { Output } from "../../output.ts";

export const show: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show an agent and its files.")
    .argument("<slug>", "Slug or id of the agent")
    .option("--version <number>", "Version to show (default: the latest)")
    .action(
      act(async ({ args, out, options, api }) => {
        const agent = await getAgent(api(), args[0] ?? "", options.version("version"));
        if (out.json) out.document({ id: agent.id, version: agent.version, ...agent.definition });
        else showAgent(out, agent);
      }),
    );
};

function showAgent(out: Output, { id, version, definition }: Agent): void {
  const { slug, name, description, format } = definition.settings;
  out.line(`${out.style("bold", name)} (${slug}, ${format}), version ${version}, ${id}`);
  if (description !== undefined) out.line(description);
  for (const { path, text } of filesOf(definition).slice(1)) {
    out.line();
    out.line(out.style("bold", `== ${path}`));
    out.line(text.replace(/\n$/, ""));
  }
}
