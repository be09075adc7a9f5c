import { verifyChain } from "../../audit/verify-chain.ts";
import { failure } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";

export const verifyAudit: AddCommand = (group, act) => {
  group
    .command("verify")
    .description("Compute the hashes of the whole audit log again.")
    .action(
      act(async ({ out, api }) => {
        const { entries, last, broken } = await verifyChain(api().lines("/api/admin/audit"));
        if (broken !== undefined) {
          const message = `The audit log is broken at entry ${broken.number}: ${broken.reason}.`;
          throw failure("BROKEN_CHAIN", message);
        }
        if (out.json) out.document({ entries, last });
        else if (entries === 0) out.line("The audit log has no entries.");
        else
          out.line(
            `${entries} entries are intact. The hash of the last one, ${last.number}, is ${last.hash}.`,
          );
      }),
    );
};
