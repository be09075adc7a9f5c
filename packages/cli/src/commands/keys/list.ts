import { listKeys as fetchKeys } from "../../api/keys.ts";
import { exitCodes } from "../../exit.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../table.ts";

export const listKeys: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List API keys, without their secrets.")
    .action(
      act(async ({ out, api }) => {
        const keys = await fetchKeys(api());
        if (out.json) out.document({ keys });
        else {
          const rows = keys.map(({ id, name, permissions, projectId, anyProject, expiresAt, lastUsedAt }) => [
            ...[id, name, permissions.join(","), anyProject ? "any" : projectId],
            ...[expiresAt ?? "never", lastUsedAt ?? "never"],
          ]);
          showTable(out, ["ID", "NAME", "PERMISSIONS", "PROJECT", "EXPIRES", "LAST USED"], rows);
        }
        return exitCodes.fine;
      }),
    );
};
