import { updateHook as update } from "../../api/hooks.ts";
import { usageError } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { findHook } from "./find-hook.ts";
import { addHookOptions, hookFieldsOf } from "./hook-options.ts";

export const updateHook: AddCommand = (group, act) => {
  const command = group
    .command("update")
    .description("Change a hook or its secret. The earlier secret keeps working for 24 hours.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<hook>", "Slug or id of the hook")
    .option("--name <text>", "The purpose of the hook")
    .option("--verify <type>", "How the sender signs, with a new secret")
    .option("--message <template>", "The message");
  addHookOptions(command)
    .option("--enable", "Accept events")
    .option("--disable", "Accept nothing")
    .action(act(handle));
};

const handle: Handler = async ({ args, io, out, options, api: connect }) => {
  if (options.flag("enable") && options.flag("disable"))
    throw usageError("--enable and --disable exclude each other.");
  const isSwitched = options.flag("enable") || options.flag("disable");
  const fields = await hookFieldsOf(io, options);
  const api = connect();
  const found = await findHook(api, args);
  const hook = await update(api, found.agentId, found.id, {
    ...fields,
    name: options.text("name"),
    enabled: isSwitched ? options.flag("enable") : undefined,
  });
  if (out.json) out.document(hook);
  else out.line(`${hook.slug} is ${hook.enabled ? "enabled" : "disabled"}.`);
};
