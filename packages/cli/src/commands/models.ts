import { isPlainObject } from "@muster/language/json";
import { examples } from "../help.ts";
import type { AddCommand } from "../invocation.ts";
import { optionalText, record, records, text } from "../read.ts";
import { showTable } from "../show-table.ts";

const columns = [
  { heading: "MODEL", shrinks: true },
  { heading: "CONTEXT", isOptional: true },
  { heading: "INPUT" },
  { heading: "OUTPUT" },
  { heading: "CACHED INPUT", isOptional: true },
];

export const models: AddCommand = (group, act) => {
  group
    .command("models")
    .description("List the available models, with prices in US dollars per million tokens.")
    .option("--provider <name>", "List the models of one provider only")
    .addHelpText("after", examples("muster models --provider anthropic"))
    .action(
      act(async ({ out, options, publicApi }) => {
        const query = { provider: options.text("provider") };
        const { body } = await publicApi().request("GET", "/api/models", { query });
        const found = records(record(body), "models");
        if (out.json) out.document({ models: found });
        else if (found.length === 0) out.note("No models found.");
        else showTable(out, columns, found.map(rowOf));
      }),
    );
};

function rowOf(model: Record<string, unknown>): string[] {
  const pricing = isPlainObject(model.pricing) ? model.pricing : {};
  const { contextLength } = model;
  const price = (key: string) => {
    const value = optionalText(pricing, key);
    return value === undefined ? "-" : `$${value}`;
  };
  // --json has the higher tiers.
  const more = Array.isArray(pricing.tiers) && pricing.tiers.length > 0 ? "+" : "";
  return [
    text(model, "id"),
    typeof contextLength === "number" ? contextLength.toLocaleString("en-GB") : "-",
    price("inputPer1M") + more,
    price("outputPer1M") + more,
    price("cacheReadPer1M"),
  ];
}
