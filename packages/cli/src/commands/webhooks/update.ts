import { updateWebhook as update } from "../../api/webhooks.ts";
import { usageError } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { stateOf } from "./list.ts";

export const updateWebhook: AddCommand = (group, act) => {
  group
    .command("update")
    .description("Change a webhook. Enabling one that is paused sends its waiting events at once.")
    .argument("<id>", "Id of the webhook")
    .option("--receiver <url>", "Its new URL")
    .option("--event <type...>", "Types of events, which replace the earlier ones; repeatable")
    .option("--description <text>", "A note for users")
    .option("--enable", "Send events")
    .option("--disable", "Send nothing, and keep no later events")
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const [id = ""] = args;
  if (options.flag("enable") && options.flag("disable"))
    throw usageError("--enable and --disable exclude each other.");
  const isSwitched = options.flag("enable") || options.flag("disable");
  const events = options.texts("event");
  const webhook = await update(connect(), id, {
    url: options.text("receiver"),
    events: events.length === 0 ? undefined : events,
    description: options.text("description"),
    enabled: isSwitched ? options.flag("enable") : undefined,
  });
  if (out.json) out.document(webhook);
  else out.line(`${webhook.id} is ${stateOf(webhook)} and sends ${webhook.events.join(", ")}.`);
};
