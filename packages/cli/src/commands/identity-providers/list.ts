import { slugsOf } from "../../api/agents.ts";
import { listIdentityProviders as fetchProviders } from "../../api/identity-providers.ts";
import type { AddCommand } from "../../invocation.ts";
import { showTable } from "../../show-table.ts";
import { agentText, conditionText } from "./conditions.ts";

const columns = [
  { heading: "ID" },
  { heading: "NAME", shrinks: true },
  { heading: "ISSUER", shrinks: true },
  { heading: "AGENT", shrinks: true },
  { heading: "CONDITIONS", shrinks: true, isOptional: true },
  { heading: "CREATED", isTime: true, isOptional: true },
];

export const listIdentityProviders: AddCommand = (group, act) => {
  group
    .command("list")
    .description("List the identity providers of the project.")
    .action(
      act(async ({ out, api }) => {
        const client = api();
        const identityProviders = await fetchProviders(client);
        if (out.json) out.document({ identityProviders });
        else {
          const slugOf = await slugsOf(
            client,
            identityProviders.map(({ scope }) => scope.agentId),
          );
          const rows = identityProviders.map(({ id, name, issuer, scope, conditions, createdAt }) => [
            ...[
              id,
              name,
              issuer,
              slugOf(agentText(scope)),
              conditions.map(conditionText).join(", "),
              createdAt,
            ],
          ]);
          showTable(out, columns, rows);
        }
      }),
    );
};
