import { replayDelivery as replay } from "../../api/webhooks.ts";
import type { AddCommand } from "../../invocation.ts";

export const replayDelivery: AddCommand = (group, act) => {
  group
    .command("replay")
    .description("Send a delivery again, under the same id.")
    .argument("<id>", "Id of the webhook")
    .argument("<delivery>", "Id of the delivery")
    .action(
      act(async ({ args, out, api }) => {
        const [id = "", deliveryId = ""] = args;
        const delivery = await replay(api(), id, deliveryId);
        if (out.json) out.document(delivery);
        else out.line(`${delivery.id} is sent again.`);
      }),
    );
};
