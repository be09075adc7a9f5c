import { rotateCallbackSecret, rotateWebhookSecret } from "../../api/webhooks.ts";
import { usageError } from "../../exit.ts";
import type { AddCommand, Handler } from "../../invocation.ts";

export const rotateWebhook: AddCommand = (group, act) => {
  group
    .command("rotate")
    .description("Replace the secret of a webhook, or that of a project's callbacks. Both sign for 24 hours.")
    .argument("[id]", "Id of the webhook")
    .option("--callbacks <project>", "Id of the project whose callbacks get a new secret, or their first one")
    .action(act(handle));
};

const handle: Handler = async ({ args, out, options, api: connect }) => {
  const [id] = args;
  const projectId = options.text("callbacks");
  if ((id === undefined) === (projectId === undefined))
    throw usageError("Name either a webhook, or a project with --callbacks.");
  const api = connect();
  const rotated =
    projectId === undefined
      ? await rotateWebhookSecret(api, id ?? "")
      : await rotateCallbackSecret(api, projectId);
  if (out.json) {
    out.document(rotated);
    return;
  }
  const earlier = rotated.earlierUntil ? ` The earlier one signs as well until ${rotated.earlierUntil}.` : "";
  out.note(`The new secret is shown only now.${earlier}`);
  out.line(rotated.secret);
};
