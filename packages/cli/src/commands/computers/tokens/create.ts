import type { Command } from "commander";
import { createComputerToken as create } from "../../../api/computers.ts";
import { usageError } from "../../../exit.ts";
import { examples } from "../../../help.ts";
import type { AddCommand, Handler } from "../../../invocation.ts";
import { computerIdOf } from "../../../workforce/computer-id-of.ts";

export const createComputerToken: AddCommand = (group, act) => {
  addTokenOptions(group.command("create"))
    .description("Create a token that connects a computer. It permits nothing else, and is printed once.")
    .argument("<computer>", "Id of a shared computer, or name, slug or id of an agent with one of its own")
    .addHelpText("after", examples("muster computers tokens create cmp_01m2k3"))
    .action(act(handle));
};

/** The same command where users who hire look for it. */
export const workforceComputerToken: AddCommand = (group, act) => {
  addTokenOptions(group.command("computer-token"))
    .description(
      "Create a token that connects the agent's computer. It permits nothing else, and is printed once.",
    )
    .argument("<agent>", "Name, slug or id of the agent")
    .addHelpText("after", examples("muster workforce computer-token Lou"))
    .action(act(handle));
};

function addTokenOptions(command: Command): Command {
  return command
    .option("--name <text>", "Name of the token, such as that of the machine", "computer")
    .option("--expires <time>", "Expiry time, such as 2030-01-31T12:00:00Z (default: never)")
    .option("--quiet", "Print only the token");
}

const handle: Handler = async ({ args, io, out, options, api: connect }) => {
  const expires = options.text("expires");
  if (expires !== undefined && Number.isNaN(Date.parse(expires)))
    throw usageError("--expires must be a time, such as 2030-01-31T12:00:00Z.");
  const api = connect();
  const created = await create(api, await computerIdOf(api, args[0] ?? ""), {
    name: options.text("name") ?? "",
    expiresAt: expires === undefined ? undefined : new Date(expires).toISOString(),
  });
  if (out.json) {
    out.document(created);
    return;
  }
  const isQuiet = options.flag("quiet");
  if (!isQuiet) {
    out.note(`Created token ${created.id} (${created.name}) of ${created.computerId}.`);
    out.note("Copy it now. It cannot be shown again:");
  }
  out.line(created.token);
  if (isQuiet) return;
  out.note("On the computer, set MUSTER_COMPUTER_TOKEN to it, and run one of these:");
  out.note(`  ${io.program} computer connect --url ${api.url} --dir <folder>`);
  out.note(`  npx @muster/platform-computer connect --url ${api.url} --dir <folder>`);
};
