import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPlainObject } from "@muster/language/json";
import { type Decision, decideApproval } from "../../api/approvals.ts";
import { usageError } from "../../exit.ts";
import { examples } from "../../help.ts";
import type { Act, AddCommand, Invocation } from "../../invocation.ts";

export const approveCall: AddCommand = (group, act) => {
  group
    .command("approve")
    .description("Approve a tool call. Its turn continues once all calls of the step are decided.")
    .argument("<id>", "Id of the approval")
    .option("--message <text>", "Why, for the record")
    .option("--args <json>", "Arguments to call the tool with instead of the model's: JSON, or @FILE")
    .addHelpText(
      "after",
      examples(
        "muster approvals approve apr_01m2k3",
        "muster approvals approve apr_01m2k3 --args @refund.json",
      ),
    )
    .action(decide(act, "approve"));
};

export const denyCall: AddCommand = (group, act) => {
  group
    .command("deny")
    .description("Deny a tool call. The model is told so, with the message, and continues.")
    .argument("<id>", "Id of the approval")
    .option("--message <text>", "Why, for the model and for the record")
    .addHelpText("after", examples('muster approvals deny apr_01m2k3 --message "Ask the customer first."'))
    .action(decide(act, "deny"));
};

function decide(act: Act, decision: Decision["decision"]) {
  return act(async (invocation) => {
    const { args, out, options, api } = invocation;
    const edited = await readArguments(invocation);
    const message = options.text("message");
    const decided = await decideApproval(api(), args[0] ?? "", { decision, message, args: edited });
    if (out.json) out.document(decided.document);
    else out.line(`${decided.id} ${decided.status}`);
  });
}

async function readArguments({ io, options }: Invocation): Promise<Record<string, unknown> | undefined> {
  const given = options.text("args");
  if (given === undefined) return undefined;
  try {
    const json = given.startsWith("@") ? await readFile(resolve(io.cwd, given.slice(1)), "utf8") : given;
    const args: unknown = JSON.parse(json);
    if (isPlainObject(args)) return args;
  } catch {
    // Reported below, as is JSON that is not an object.
  }
  throw usageError(`--args must be a JSON object such as '{"amount":120}', or @FILE with one.`);
}
