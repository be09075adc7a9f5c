import { examples } from "../help.ts";
import type { AddCommand } from "../invocation.ts";
import { optionalText, record, records, text } from "../read.ts";
import { showTable } from "../show-table.ts";

export const usage: AddCommand = (group, act) => {
  group
    .command("usage")
    .description("Show the usage of the project's model calls, in US dollars and tokens.")
    .option("--from <day>", "First day (UTC), such as 2026-11-01 (default: the first day of this month)")
    .option("--to <day>", "Last day (UTC) (default: today)")
    .option("--by <property>", "Group the calls by agent, key, subject, model or day (default: day)")
    .addHelpText(
      "after",
      examples("muster usage --by model", "muster usage --from 2026-10-01 --to 2026-10-31 --by key"),
    )
    .action(
      act(async ({ out, options, api }) => {
        const query = { from: options.text("from"), to: options.text("to"), groupBy: options.text("by") };
        const report = await api().read("GET", "/api/usage", { query });
        if (out.json) {
          out.document(report);
          return;
        }
        const columns = [
          { heading: text(report, "groupBy").toUpperCase(), shrinks: true },
          ...["CALLS", "INPUT", "OUTPUT", "US DOLLARS"].map((heading) => ({ heading })),
        ];
        const rows = records(report, "groups").map((row) => rowOf(optionalText(row, "name") ?? "-", row));
        showTable(out, columns, [...rows, rowOf("total", record(report.total))]);
      }),
    );
};

function rowOf(name: string, row: Record<string, unknown>): string[] {
  const counts = ["calls", "inputTokens", "outputTokens"].map((key) =>
    Number(row[key]).toLocaleString("en-GB"),
  );
  return [name, ...counts, text(row, "totalFeeUsd")];
}
