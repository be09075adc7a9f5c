import { revokeToken as revoke } from "../../api/tokens.ts";
import { exitCodes, usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { readSecret } from "../../read-secret.ts";

export const revokeToken: AddCommand = (group, act) => {
  group
    .command("revoke")
    .description("Revoke a token. It stops working within a second.")
    .argument("<jti>", "Id of the token, or - to read the token itself from standard input")
    .addHelpText(
      "after",
      examples("muster tokens revoke tok_01m2k3", "printenv LEAKED_TOKEN | muster tokens revoke -"),
    )
    .action(
      act(async ({ args, io, out, api: connect }) => {
        const [name = ""] = args;
        const outcome = await revoke(
          connect(),
          name === "-" ? { token: await readSecret(io, "token") } : { jti: nameOf(name) },
        );
        if (out.json) out.document(outcome);
        else out.line(outcome.revoked ? `Revoked ${outcome.jti}.` : "The token is unknown or has expired.");
        return outcome.revoked ? exitCodes.fine : exitCodes.failure;
      }),
    );
};

/** Other users of the machine can see the arguments of a command. */
function nameOf(name: string): string {
  if (!name.startsWith("svc_")) return name;
  throw usageError(
    "Give the id of the token, or - and the token on standard input, where other users cannot see it.",
  );
}
