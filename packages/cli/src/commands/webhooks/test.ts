import { testWebhook as test } from "../../api/webhooks.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";

export const testWebhook: AddCommand = (group, act) => {
  group
    .command("test")
    .description("Send a test event to a webhook, once.")
    .argument("<id>", "Id of the webhook")
    .action(
      act(async ({ args, out, api }) => {
        const ended = out.waiting(() => "Waiting for the receiver");
        const delivery = await test(api(), args[0] ?? "").finally(ended);
        const [attempt] = delivery.attempts;
        const isFine = delivery.status === "delivered";
        if (out.json) out.document(delivery);
        else if (isFine)
          out.line(`${out.style("green", "ok")}  HTTP ${attempt?.status} after ${attempt?.latencyMs} ms`);
        else out.line(`${out.style("red", "failed")}  ${attempt?.problem}`);
        return isFine ? exitCodes.fine : exitCodes.failure;
      }),
    );
};
