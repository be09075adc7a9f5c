import { createWebhook as create } from "../../api/webhooks.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const createWebhook: AddCommand = (group, act) => {
  group
    .command("create")
    .description("Create a webhook. Its secret is printed once.")
    .argument("<url>", "The receiver: an https URL")
    .requiredOption("--event <type...>", "Types of events, such as thread.completed; repeatable")
    .option("--agent-id <id>", "Only the events of this agent")
    .option("--description <text>", "A note for users")
    .option("--quiet", "Print only the secret")
    .addHelpText(
      "after",
      examples(
        "muster webhooks create https://ops.example.com/muster --event thread.completed thread.failed",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const webhook = await create(connect(), {
    url: args[0],
    events: options.texts("event"),
    agentId: options.text("agentId"),
    description: options.text("description"),
  });
  if (out.json) {
    out.document(webhook);
    return;
  }
  if (!options.flag("quiet")) out.note(`Created the webhook ${webhook.id}. Its secret is shown only now:`);
  out.line(webhook.secret);
  out.hint({ purpose: "To send a test event", args: `webhooks test ${webhook.id}` });
};
