import { agentMembers } from "../../api/agents.ts";
import { hireAgent, warningsOf } from "../../api/workforce.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { collect, type Options } from "../../options.ts";
import { inputPairs } from "../../turn/input-pairs.ts";
import {
  addApprovalOption,
  addLimitOptions,
  addSettingOptions,
  approvalsOf,
  capabilitiesOf,
  limitsOf,
  settingsOf,
} from "../../workforce/options.ts";

export const hire: AddCommand = (group, act) => {
  const command = group
    .command("hire")
    .description("Hire a workforce agent. Its key is printed once; the server stores only a hash of it.")
    .argument("[prebuilt]", "Slug of a pre-built agent, as shown by workforce prebuilt")
    .requiredOption("--name <text>", "Name of the new workforce agent")
    .option("--agent <agent>", "Hire an agent of the project instead (slug or id)")
    .option("--input <NAME=VALUE>", "Input of the definition, for every thread; repeatable", collect)
    .option("--computer <kind>", "sandbox, dedicated, mac or cli (default: sandbox); all others dial in")
    .option("--os <os>", "System of the computer: linux, windows or macos")
    .option("--computer-id <id>", "Shared computer instead, as shown by computers list")
    .option("--quiet", "Print only the key");
  addApprovalOption(addLimitOptions(addSettingOptions(command), "it"))
    .addHelpText(
      "after",
      examples(
        'muster workforce hire log-analyst --name "Lou"',
        'muster workforce hire --agent support-chat --name "Sam" --monthly-usd 25',
        'muster workforce hire log-analyst --name "Mac" --computer mac',
        'muster workforce hire --agent refund-desk --name "Kim" --approval refund=ask',
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const api = connect();
  const { agent, key } = await hireAgent(api, {
    name: options.text("name"),
    ...definitionOf(args[0], options),
    settings: settingsOf(options),
    capabilities: capabilitiesOf(options),
    limits: limitsOf(options),
    approvals: approvalsOf(options),
    ...computerOf(options),
    input: inputPairs("--input", options.texts("input"), undefined),
  });
  if (out.json) {
    out.document({ ...agent.document, key });
    return;
  }
  if (!options.flag("quiet")) {
    out.note(`Hired ${agent.name} (${agent.id}).`);
    for (const warning of warningsOf(agent)) out.note(`Warning: ${warning}`);
    out.note("Copy its key now. It cannot be shown again:");
  }
  out.line(key);
  if (!options.flag("quiet")) {
    const args = `workforce run ${JSON.stringify(agent.name)} "<message>" --wait`;
    out.hint({ purpose: "To send it a message", args });
    const { kind, id } = agent.computer;
    const token = id === undefined ? `workforce computer-token ${JSON.stringify(agent.name)}` : undefined;
    if (kind !== "sandbox" && token !== undefined)
      out.hint({ purpose: "To create a token with which its computer connects", args: token });
  }
};

function computerOf(options: Options) {
  const [kind, os, computerId] = [options.text("computer"), options.text("os"), options.text("computerId")];
  if (computerId !== undefined) {
    if (kind !== undefined || os !== undefined)
      throw usageError("--computer-id names a computer that exists, so --computer and --os are not for it.");
    return { computerId };
  }
  if (kind === undefined && os === undefined) return {};
  return { computer: { kind: kind ?? "sandbox", os: os ?? (kind === "mac" ? "macos" : "linux") } };
}

function definitionOf(prebuilt: string | undefined, options: Options) {
  const agent = options.text("agent");
  if ((agent === undefined) === (prebuilt === undefined))
    throw usageError("Give either the slug of a pre-built agent or --agent.");
  return prebuilt === undefined ? agentMembers(agent) : { prebuilt };
}
