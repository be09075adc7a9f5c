// Sends a message to a workforce agent and waits for the answer:
//   node examples/ci-dispatch/dispatch.mjs "Which test failed first?"      or - to read the message from standard input
// Exit codes: 0 completed, 1 failed or cancelled, 2 usage, 3 Muster cannot be reached, 4 blocked by a limit.
import { appendFileSync, readFileSync } from "node:fs";
import { answerOf, Muster } from "@muster/client";

const { MUSTER_URL: baseUrl = "http://127.0.0.1:8080", MUSTER_AGENT_KEY: apiKey } = process.env;
const { PATIENCE_SECONDS = "60", IDEMPOTENCY_KEY: idempotencyKey, GITHUB_STEP_SUMMARY } = process.env;
const [given = ""] = process.argv.slice(2);
const message = given === "-" ? readFileSync(0, "utf8") : given;
if (message.trim() === "") end(2, "Give the message as an argument, or - and the message on standard input.");
if (!apiKey) end(2, "Set MUSTER_AGENT_KEY to a key of the agent: muster workforce keys create …");
if (!idempotencyKey) end(2, "Set IDEMPOTENCY_KEY to something that is the same when this job is repeated.");

const exitCodes = { completed: 0, blocked: 4 };

function end(code, reason) {
  console.error(reason);
  process.exit(code);
}

try {
  // Whatever the connection does, the key makes the dispatch happen once.
  const muster = new Muster({ baseUrl, apiKey, retryForMs: Number(PATIENCE_SECONDS) * 1_000 });
  const { agentId } = await muster.credential();
  const dispatched = muster.workforce.dispatch(agentId, { message }, { idempotencyKey });
  const { threadId, status } = await dispatched.started;
  console.error(`${threadId} ${status}`);
  const thread = await dispatched.wait();
  const answer = answerOf(thread);
  if (answer !== "") console.log(answer);
  if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, `${answer}\n`);
  const { totalFeeUsd = 0, totalTokens = 0 } = thread.usage ?? {};
  const reason = thread.failureReason === null ? "" : `: ${thread.failureReason} (${thread.failureType})`;
  console.error(`${thread.status}${reason}, ${totalTokens} tokens, ${totalFeeUsd} USD`);
  process.exitCode = exitCodes[thread.status] ?? 1;
} catch ({ message: reason, code, status }) {
  const isUnreachable = status === 0 || status === 429 || status >= 500;
  end(isUnreachable ? 3 : status === 402 ? 4 : 1, `${reason} (${code})`);
}
