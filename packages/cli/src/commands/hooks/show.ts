import type { AddCommand } from "../../invocation.ts";
import { findHook } from "./find-hook.ts";

export const showHook: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show a hook of a workforce agent, without its secret.")
    .argument("<agent>", "Name, slug or id of the agent")
    .argument("<hook>", "Slug or id of the hook")
    .action(
      act(async ({ args, out, api: connect }) => {
        const api = connect();
        const hook = await findHook(api, args);
        if (out.json) {
          out.document(hook);
          return;
        }
        const lines = {
          hook: `${hook.slug} (${hook.name})`,
          address: new URL(hook.url, api.url).href,
          verify: hook.verify.type,
          state: hook.enabled ? "enabled" : "disabled",
          "thread key": hook.threadKey ?? "none",
          filter: hook.filter === null ? "none" : JSON.stringify(hook.filter),
          message: hook.message,
        };
        for (const [name, value] of Object.entries(lines)) out.line(`${`${name}:`.padEnd(12)}${value}`);
        const { earlierUntil } = hook.verify;
        if (earlierUntil) out.note(`The earlier secret keeps working until ${earlierUntil}.`);
      }),
    );
};
