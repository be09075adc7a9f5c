import { create } from "@bufbuild/protobuf";
import { GetHookResponseSchema } from "@muster/proto/hooks";
import { showHook } from "../../views/show-hook.ts";
import type { Handler } from "../handler.ts";
import { managedHook } from "./managed-hook.ts";

export const getHook: Handler<"getHook"> = async (context, request, call) => {
  const hook = await managedHook(context, request, call);
  return create(GetHookResponseSchema, { hook: showHook(hook, new Date(context.clock.now())) });
};
