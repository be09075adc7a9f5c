import { keyOfHook } from "../../store/hook-document.ts";
import type { Handler } from "../handler.ts";
import { managedHook, refusalOfChange } from "./managed-hook.ts";

/** Safe to repeat: the hook is deleted last, and accepts nothing meanwhile. */
export const deleteHook: Handler<"deleteHook"> = async (context, request, call) => {
  const key = keyOfHook(await managedHook(context, request, call));
  const expected = request.expectedRevisions;
  const now = new Date(context.clock.now());
  const disabled = await context.hooks.update(key, { enabled: false }, now, expected);
  if (disabled === null) throw await refusalOfChange(context, key);
  await context.hookDeliveries.deleteAll(key);
  await context.hooks.delete(key);
  return {};
};
