import { slugsOf } from "../../api/agents.ts";
import { getIdentityProvider } from "../../api/identity-providers.ts";
import type { AddCommand } from "../../invocation.ts";
import { agentText, conditionText, sessionText } from "./conditions.ts";

export const showIdentityProvider: AddCommand = (group, act) => {
  group
    .command("show")
    .description("Show an identity provider.")
    .argument("<id>", "Id of the identity provider, as shown by identity-providers list")
    .action(
      act(async ({ args, out, api }) => {
        const client = api();
        const provider = await getIdentityProvider(client, args[0] ?? "");
        if (out.json) out.document(provider);
        else {
          const slugOf = await slugsOf(client, [provider.scope.agentId]);
          for (const [name, value] of [
            ["ID", provider.id],
            ["Name", provider.name],
            ["Issuer", provider.issuer],
            ["Audience", provider.audience],
            ["Keys", provider.jwksUri ?? "found by discovery"],
            ["Algorithms", provider.algorithms.join(", ")],
            ["Lifetime", `at most ${provider.maxLifetimeSeconds} s`],
            ["Conditions", provider.conditions.map(conditionText).join(", ")],
            ["Agent", slugOf(agentText(provider.scope))],
            ["Session", sessionText(provider.scope)],
            ["Subject", provider.scope.subjectClaim ?? "none"],
            ["Created", out.time(provider.createdAt)],
            ["Updated", out.time(provider.updatedAt)],
          ] as const)
            out.line(`${name.padEnd(12)}${value}`);
        }
      }),
    );
};
