import { addToolHost as add } from "../../../api/tool-hosts.ts";
import { examples } from "../../../help.ts";
import type { AddCommand } from "../../../invocation.ts";
import { addOwnSecretOption, ownSecretOf, showSecret } from "./secret-option.ts";

export const addToolHost: AddCommand = (group, act) => {
  const command = group
    .command("add")
    .description("Allow calls of HTTP tools on a host. The secret that signs them is printed once.")
    .argument("<host>", "Host as in a URL, with its port unless it is that of https")
    .option("--untrusted", "Models are told not to trust its results");
  addOwnSecretOption(command)
    .addHelpText(
      "after",
      examples(
        "muster projects tool-hosts add orders.example.com",
        "muster projects tool-hosts add search.example.com --untrusted",
      ),
    )
    .action(
      act(async ({ args, io, out, options, api }) => {
        const entry = { host: args[0] ?? "", untrusted: options.flag("untrusted") };
        const secret = await add(api(), entry, ownSecretOf(io, options));
        if (out.json) out.document({ ...entry, secret });
        else showSecret(out, `Added ${entry.host}.`, secret);
      }),
    );
};
