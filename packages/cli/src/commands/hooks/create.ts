import { createHook as create } from "../../api/hooks.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";
import { addSettingOptions, capabilitiesOf, settingsOf } from "../../workforce/options.ts";
import { addHookOptions, hookFieldsOf } from "./hook-options.ts";

export const createHook: AddCommand = (group, act) => {
  const command = group
    .command("create")
    .description("Create a hook of a workforce agent, and print the address to which senders post events.")
    .argument("<agent>", "Name, slug or id of the agent")
    .requiredOption("--name <name>", "The purpose of the hook")
    .requiredOption("--verify <type>", "How the sender signs: standard-webhooks, github, slack or bearer")
    .requiredOption("--message <template>", "The message, such as Triage {{ISSUE_TITLE}}")
    .option("--slug <slug>", "Its name among the agent's hooks (default: derived from the name)")
    .option("--quiet", "Print only the address");
  addSettingOptions(addHookOptions(command))
    .addHelpText(
      "after",
      examples(
        'muster hooks create Lou --name "New issues" --verify github --secret-env GITHUB_SECRET --message "Triage {{ISSUE_TITLE}}"',
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options, api: connect }) => {
  const api = connect();
  const [agentName = ""] = args;
  const fields = await hookFieldsOf(io, options);
  const agent = await findHiredAgent(api, agentName);
  const hook = await create(api, agent.id, {
    ...{ ...fields, name: options.text("name"), slug: options.text("slug") },
    config: { ...settingsOf(options), capabilities: capabilitiesOf(options) },
  });
  if (out.json) {
    out.document(hook);
    return;
  }
  if (!options.flag("quiet")) out.note(`Created the hook ${hook.slug} of ${agent.name}. Its address:`);
  out.line(new URL(hook.url, api.url).href);
};
