import { readPages } from "../../api/read-pages.ts";
import { examples } from "../../help.ts";
import type { AddCommand } from "../../invocation.ts";
import { defaultLimit } from "../../options.ts";
import { optionalText, record, text } from "../../read.ts";
import { showTable } from "../../show-table.ts";

const columns = [
  { heading: "TIME", isTime: true },
  { heading: "ACTION" },
  { heading: "TARGET", shrinks: true },
  { heading: "ACTOR", shrinks: true },
  { heading: "ADDRESS", isOptional: true },
  { heading: "OUTCOME", isOptional: true },
];

export const listAudit: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the changes of the project, newest first.")
    .option("--actor <id>", "Only changes made by a key, a token or a subject")
    .option("--action <action>", "Only changes of one kind, such as key.create")
    .option("--target <id>", "Only changes to one resource, by its id, or by its name if it has none")
    .option("--from <time>", "Only changes from this time on, such as 2026-11-01T00:00:00Z")
    .option("--to <time>", "Only changes before this time")
    .option("--limit <number>", `How many (default: ${defaultLimit})`)
    .addHelpText("after", examples("muster audit list --action key.create", "muster audit list --limit 500"))
    .action(
      act(async ({ out, options, api }) => {
        const names = ["actor", "action", "target", "from", "to"];
        const query = Object.fromEntries(names.map((name) => [name, options.text(name)]));
        const limit = options.limit();
        const { items } = await readPages(api(), "/api/admin/audit", "entries", limit, query);
        if (out.json) {
          out.document({ entries: items });
          return;
        }
        const rows = items.map((entry) => {
          const actor = record(entry.actor);
          const what = [text(entry, "at"), text(entry, "action"), text(entry, "target")];
          return [...what, text(actor, "id"), optionalText(actor, "ip") ?? "-", text(entry, "outcome")];
        });
        showTable(out, columns, rows);
      }),
    );
};
