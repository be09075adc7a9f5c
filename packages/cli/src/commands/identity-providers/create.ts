import { agentMembers } from "../../api/agents.ts";
import { createIdentityProvider as create } from "../../api/identity-providers.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { secondsOf } from "../../seconds.ts";
import { parseConditions } from "./conditions.ts";

export const createIdentityProvider: AddCommand = (group, act) => {
  group
    .command("create")
    .description(
      "Accept the signed tokens of an issuer (OpenID Connect). Prints the audience for its tokens.",
    )
    .requiredOption("--name <text>", "Name of the identity provider, such as its purpose")
    .requiredOption("--issuer <url>", "The exact issuer (iss) of its tokens")
    .requiredOption(
      "--condition <claim=value...>",
      "The value of a claim, or its prefix (claim=prefix*); several values of a claim are alternatives",
    )
    .option("--agent <agent>", "The only agent of its tokens (slug or id)")
    .option("--agent-claim <name>", "The claim that contains the id of the agent, instead")
    .option("--session <id>", "The only session of its tokens (default: any session of the agent)")
    .option("--session-claim <name>", "The claim that contains the id of the session, instead")
    .option(
      "--subject-claim <name>",
      "The claim that names the subject of the token, such as sub (default: none)",
    )
    .option("--jwks-uri <url>", "The URL of its keys (default: found by discovery)")
    .option("--algorithm <name...>", "Accepted signature algorithms (default: RS256 and ES256)")
    .option(
      "--max-lifetime <duration>",
      "Longest lifetime of its tokens, such as 15m, at most 24h (default: 1h)",
    )
    .addHelpText(
      "after",
      examples(
        "muster identity-providers create --name CI --issuer https://token.actions.githubusercontent.com --condition repository_id=123456789 --agent support-chat",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ out, options, api: connect }) => {
  const conditions = parseConditions(options.texts("condition"));
  const maxLifetimeSeconds = secondsOf("max-lifetime", options.text("maxLifetime"));
  const [agent, agentClaim] = [options.text("agent"), options.text("agentClaim")];
  if ((agent === undefined) === (agentClaim === undefined))
    throw usageError("Give --agent or --agent-claim, but not both.");
  const algorithms = options.texts("algorithm").flatMap((given) => given.split(","));
  const api = connect();
  const provider = await create(api, {
    name: options.text("name") ?? "",
    issuer: options.text("issuer") ?? "",
    conditions,
    maxLifetimeSeconds,
    jwksUri: options.text("jwksUri"),
    algorithms: algorithms.length === 0 ? undefined : algorithms,
    scope: {
      ...agentMembers(agent),
      agentClaim,
      sessionId: options.text("session"),
      sessionClaim: options.text("sessionClaim"),
      subjectClaim: options.text("subjectClaim"),
    },
  });
  if (out.json) {
    out.document(provider);
    return;
  }
  out.note(`Created identity provider ${provider.id} (${provider.name}) in project ${provider.projectId}.`);
  out.note("Request tokens from the issuer for this audience:");
  out.line(provider.audience);
};
