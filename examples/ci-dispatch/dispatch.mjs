// Sends a message to a workforce agent and waits for the answer, with plain fetch:
//   node examples/ci-dispatch/dispatch.mjs "Which test failed first?"      or - to read the message from standard input
// Exit codes: 0 completed, 1 failed or cancelled, 2 usage, 3 Muster cannot be reached, 4 blocked by a limit.
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { MUSTER_URL = "http://127.0.0.1:8080", MUSTER_AGENT_KEY, IDEMPOTENCY_KEY } = process.env;
const { PATIENCE_SECONDS = "60", GITHUB_STEP_SUMMARY } = process.env;
const [given = ""] = process.argv.slice(2);
const message = given === "-" ? readFileSync(0, "utf8") : given;
if (message.trim() === "") end(2, "Give the message as an argument, or - and the message on standard input.");
if (!MUSTER_AGENT_KEY) end(2, "Set MUSTER_AGENT_KEY to a key of the agent: muster workforce keys create …");
if (!IDEMPOTENCY_KEY) end(2, "Set IDEMPOTENCY_KEY to something that is the same when this job is repeated.");

const exitCodes = { completed: 0, blocked: 4 };
const isWorking = ({ status }) => ["pending", "queued", "running"].includes(status);

/**
 * Repeats a request while Muster cannot be reached, is busy or restarts. That is safe: reads change nothing, and the
 * idempotency key makes the dispatch happen once.
 */
async function ask(method, path, { headers = {}, body } = {}) {
  const authorization = `Bearer ${MUSTER_AGENT_KEY}`;
  const request = {
    method,
    body,
    headers: { authorization, "content-type": "application/json", ...headers },
  };
  if (body === undefined) delete request.headers["content-type"];
  const giveUpAt = Date.now() + Number(PATIENCE_SECONDS) * 1_000;
  for (;;) {
    const signal = AbortSignal.timeout(60_000);
    const response = await fetch(MUSTER_URL + path, { ...request, signal }).catch((error) => error);
    if (response instanceof Response && !(await isTemporary(response))) return response;
    const reason =
      response instanceof Response ? response.status : (response.cause?.code ?? response.message);
    if (Date.now() > giveUpAt) end(3, `Cannot reach Muster at ${MUSTER_URL}: ${reason}`);
    const seconds = response instanceof Response ? Number(response.headers.get("retry-after") ?? 1) : 1;
    await sleep(seconds * 1_000);
  }
}

async function isTemporary(response) {
  if (response.status >= 500 || response.status === 429) return true;
  if (response.status !== 409) return false;
  return (await response.clone().json()).code === "IDEMPOTENCY_KEY_IN_PROGRESS";
}

async function json(response) {
  const body = await response.json();
  if (!response.ok) end(response.status === 402 ? 4 : 1, `${body.error} (${body.code})`);
  return body;
}

async function untilFinal(path) {
  let thread;
  let tag = "";
  do {
    // Answers as soon as something changes, and with 304 if nothing has changed after 25 seconds.
    const response = await ask("GET", `${path}?wait=25`, { headers: tag && { "if-none-match": tag } });
    if (response.status === 304) continue;
    tag = response.headers.get("etag") ?? "";
    thread = await json(response);
  } while (isWorking(thread));
  return thread;
}

function answerOf({ messages }) {
  const parts = messages.findLast(({ role }) => role === "assistant")?.parts ?? [];
  return parts.findLast(({ type }) => type === "text")?.text ?? "";
}

function end(code, reason) {
  console.error(reason);
  process.exit(code);
}

const { agentId } = await json(await ask("GET", "/api/credential"));
const threads = `/api/v1/workforce/agents/${agentId}/threads`;
const headers = { "idempotency-key": IDEMPOTENCY_KEY };
const started = await json(await ask("POST", threads, { headers, body: JSON.stringify({ message }) }));
console.error(`${started.threadId} ${started.status}`);
const thread = await untilFinal(`${threads}/${started.threadId}`);
const answer = answerOf(thread);
if (answer !== "") console.log(answer);
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, `${answer}\n`);
const { totalFeeUsd = 0, totalTokens = 0 } = thread.usage ?? {};
const reason = thread.failureReason === null ? "" : `: ${thread.failureReason} (${thread.failureType})`;
console.error(`${thread.status}${reason}, ${totalTokens} tokens, ${totalFeeUsd} USD`);
process.exitCode = exitCodes[thread.status] ?? 1;
