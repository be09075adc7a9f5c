import { getSessionLog } from "../../api/get-session-log.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { logLine } from "./log-line.ts";

export const sessionLogs: AddCommand = (group, act) => {
  group
    .command("logs")
    .description("Show what the executions of a session did.")
    .argument("<id>", "Id of the session, or of a worker execution")
    .option("--requests", "Include what the models were sent")
    .addHelpText(
      "after",
      examples("muster sessions logs ses_01m2k3", "muster sessions logs ses_01m2k3 --json"),
    )
    .action(
      act(async ({ args, options, out, api }) => {
        const sessionId = args[0] ?? "";
        const log = await getSessionLog(api(), sessionId, options.flag("requests"));
        if (log === undefined) out.note("The session has expired; its log is gone.");
        const { entries, total, truncated } = log ?? { entries: [], total: 0, truncated: false };
        if (out.json) out.document({ sessionId, entries, total, truncated });
        if (truncated) out.note(`Only the newest ${entries.length} of ${total} entries are shown.`);
        for (const entry of entries) out.line(logLine(entry, out));
      }),
    );
};
