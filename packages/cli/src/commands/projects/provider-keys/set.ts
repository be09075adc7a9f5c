import { setProviderKey as set } from "../../../api/provider-keys.ts";
import { examples } from "../../../help.ts";
import type { AddCommand } from "../../../invocation.ts";
import { readSecret } from "../../../read-secret.ts";

export const setProviderKey: AddCommand = (group, act) => {
  group
    .command("set")
    .description("Set the project's own key for a model provider, from standard input.")
    .argument("<provider>", "First part of the provider's model ids, such as anthropic")
    .addHelpText(
      "after",
      examples(
        "printenv ANTHROPIC_API_KEY | muster projects provider-keys set anthropic --project prj_01m2k3",
      ),
    )
    .action(
      act(async ({ args, io, out, api: connect }) => {
        const api = connect();
        const stored = await set(api, args[0] ?? "", await readSecret(io, "key"));
        if (out.json) out.document(stored);
        else out.line(`Set the project's key for ${stored.provider}.`);
      }),
    );
};
