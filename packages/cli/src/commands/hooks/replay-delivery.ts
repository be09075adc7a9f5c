import { replayHookDelivery as replay } from "../../api/hooks.ts";
import type { AddCommand } from "../../invocation.ts";
import { findHook } from "./find-hook.ts";

export const replayHookDelivery: AddCommand = (group, act) => {
  group
    .command("replay")
    .description("Repeat a delivery as a new one with an id of its own.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<hook>", "Slug or id of the hook")
    .argument("<delivery>", "Id of the delivery")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const { agentId, id } = await findHook(api, args);
        const delivery = await replay(api, agentId, id, args[2] ?? "");
        if (out.json) out.document(delivery);
        else out.line(delivery.id);
      }),
    );
};
