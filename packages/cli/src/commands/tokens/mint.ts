import { agentMembers } from "../../api/agents.ts";
import { mintToken as mint } from "../../api/tokens.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { AddCommand, Handler } from "../../invocation.ts";
import { secondsOf } from "../../seconds.ts";

export const mintToken: AddCommand = (group, act) => {
  group
    .command("mint")
    .description(
      "Mint a token for a browser or another program that may only use sessions. It is printed once.",
    )
    .requiredOption("--agent <agent>", "The only agent of the token (slug or id)")
    .option(
      "--session <id>",
      "Restrict the token to one session (default: any session of the agent, and new ones)",
    )
    .option("--approve", "The token also decides on approvals of its session; requires --session")
    .option("--ttl <duration>", "Lifetime, such as 90s, 15m or 12h, at most 24h (default: 1h)")
    .option(
      "--max-usd <amount>",
      "US dollars that each turn or execution with the token may cost (default: no limit)",
    )
    .option("--subject <text>", "Subject of the token: it can use only the subject's sessions and executions")
    .option("--quiet", "Print only the token")
    .addHelpText(
      "after",
      examples(
        "muster tokens mint --agent support-chat --ttl 15m",
        "muster tokens mint --agent support-chat --session ses_01m2k3 --quiet",
      ),
    )
    .action(act(handle));
};

const handle: Handler = async ({ out, options, api: connect }) => {
  const ttlSeconds = secondsOf("ttl", options.text("ttl"));
  const api = connect();
  const minted = await mint(api, {
    ...agentMembers(options.text("agent")),
    sessionId: options.text("session"),
    approve: options.flag("approve") || undefined,
    maxUsd: maxUsdOf(options.text("maxUsd")),
    subject: options.text("subject"),
    ttlSeconds,
  });
  if (out.json) {
    out.document(minted);
    return;
  }
  if (!options.flag("quiet")) {
    out.note(`Minted token ${minted.jti}, which expires at ${minted.expiresAt}.`);
    out.note("Copy it now. It cannot be shown again:");
  }
  out.line(minted.token);
};

function maxUsdOf(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,9}(\.\d{1,12})?$/.test(text))
    return text === undefined ? text : Number(text);
  throw usageError("--max-usd must be an amount, such as 0.50.");
}
