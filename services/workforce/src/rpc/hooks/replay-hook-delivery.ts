import { create } from "@bufbuild/protobuf";
import { ReplayHookDeliveryResponseSchema } from "@muster/proto/hooks";
import { storeDelivery } from "../../hooks/store-delivery.ts";
import { keyOfHook } from "../../store/hook-document.ts";
import { unknownHookDelivery } from "../../store/refusals.ts";
import { showHookDelivery } from "../../views/show-hook.ts";
import type { Handler } from "../handler.ts";
import { managedHook } from "./managed-hook.ts";

export const replayHookDelivery: Handler<"replayHookDelivery"> = async (context, request, call) => {
  const hook = await managedHook(context, request, call);
  const earlier = await context.hookDeliveries.find(keyOfHook(hook), request.deliveryId);
  if (earlier === null) throw unknownHookDelivery();
  const { body, _id: replayOf } = earlier;
  const { delivery } = await storeDelivery(context, hook, { body, replayOf });
  return create(ReplayHookDeliveryResponseSchema, { delivery: showHookDelivery(delivery) });
};
