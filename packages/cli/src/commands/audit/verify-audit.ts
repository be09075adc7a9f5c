import { type CheckedChain, verifyChain } from "../../audit/verify-chain.ts";
import { failure, usageError } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";

export const verifyAudit: AddCommand = (group, act) => {
  group
    .command("verify")
    .description("Recompute and verify the hashes of the whole audit log.")
    .option("--expect <number:hash>", "An entry that an earlier check has printed, such as 120:2c26…")
    .action(
      act(async ({ out, options, api }) => {
        const kept = keptEntry(options.text("expect"));
        const { entries, last, broken } = await verifyChain(api().lines("/api/admin/audit"), kept);
        if (broken !== undefined) {
          const message = `The audit log is broken at entry ${broken.number}: ${broken.reason}.`;
          throw failure("BROKEN_CHAIN", message);
        }
        if (out.json) out.document({ entries, last });
        else if (entries === 0) out.line("The audit log has no entries.");
        else
          out.line(
            `${entries} entries are intact. Keep the last one for --expect: ${last.number}:${last.hash}`,
          );
      }),
    );
};

function keptEntry(given: string | undefined): CheckedChain["last"] | undefined {
  if (given === undefined) return undefined;
  const [, number, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(given) ?? [];
  if (hash !== undefined) return { number: Number(number), hash };
  throw usageError(
    "--expect takes the number and the hash of an entry, such as 120:2c26b46b…, as verify prints them.",
  );
}
