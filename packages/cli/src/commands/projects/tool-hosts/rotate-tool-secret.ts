import { replaceToolSecret } from "../../../api/tool-hosts.ts";
import type { AddCommand } from "../../../invocation.ts";
import { addOwnSecretOption, ownSecretOf, showSecret } from "./secret-option.ts";

export const rotateToolSecret: AddCommand = (group, act) => {
  const command = group
    .command("rotate")
    .description("Replace the secret of a host of HTTP tools. The earlier one stops working.")
    .argument("<host>", "Host, as shown by projects tool-hosts list");
  addOwnSecretOption(command).action(
    act(async ({ args, io, out, options, api }) => {
      const [host = ""] = args;
      const secret = await replaceToolSecret(api(), host, ownSecretOf(io, options));
      if (out.json) out.document({ host, secret });
      else showSecret(out, `Replaced the secret of ${host}.`, secret);
    }),
  );
};
