import { type HiredAgent, updateHiredAgent, warningsOf } from "../../api/workforce.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import type { Options } from "../../options.ts";
import { findHiredAgent } from "../../workforce/find-hired-agent.ts";
import {
  addApprovalOption,
  addLimitOptions,
  addSettingOptions,
  approvalsOf,
  capabilitiesOf,
  limitsOf,
  settingsOf,
} from "../../workforce/options.ts";
import { showHiredAgent } from "../../workforce/show-agent.ts";

export const updateWorkforce: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description(
      "Change the name, the definition's version, the settings, limits or approvals of a workforce agent.",
    )
    .argument("<agent>", "Name, slug or id of the agent")
    .option("--name <text>", "New name")
    .option("--version <version>", "Version of its definition for new threads: a number, or latest");
  addApprovalOption(addLimitOptions(addSettingOptions(command), "it"))
    .addHelpText(
      "after",
      examples(
        "muster workforce update Lou --monthly-usd 50 --monthly-runs none",
        "muster workforce update Lou --version latest",
        "muster workforce update Lou --approval shell=ask --approval refund=none",
        "muster workforce update Lou --model anthropic/claude-sonnet-4-5 --thinking high",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const api = connect();
  const agent = await findHiredAgent(api, args[0] ?? "");
  const changed = await updateHiredAgent(api, agent.id, changesOf(options, agent));
  if (out.json) out.document(changed.document);
  else {
    await showHiredAgent(out, api, changed);
    for (const warning of warningsOf(changed)) out.note(`Warning: ${warning}`);
  }
};

/** Settings are replaced as a whole, so those that stay go with the others; `none` leaves one to the definition. */
function changesOf(options: Options, { settings, approvals: present }: HiredAgent): Record<string, unknown> {
  const name = options.text("name");
  const version = options.text("version");
  const given = settingsOf(options);
  const kept = Object.entries({ ...settings, ...given }).filter(([, value]) => value !== "none");
  const [capabilities, limits] = [capabilitiesOf(options), limitsOf(options)];
  const approvals = approvalsOf(options, present);
  const changes = {
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version: /^\d+$/.test(version) ? Number(version) : version }),
    ...(Object.keys(given).length > 0 && { settings: Object.fromEntries(kept) }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(approvals !== undefined && { approvals }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw usageError("Nothing to change. Add --name, --version, a setting, a limit or a rule; see --help.");
}
