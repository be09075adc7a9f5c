import { Reason, rpcError } from "@muster/rpc";

const agentPrefix = "agt_";

/** Also thrown for an agent of another project: both look the same. `id`: the given one, which can be a slug by mistake. */
export function unknownAgent(id = agentPrefix) {
  if (!id.startsWith(agentPrefix)) {
    const given = JSON.stringify(id.slice(0, 100));
    const remedy = "To use its slug, add ?by=slug; GET /api/admin/workforce/agents lists both.";
    return rpcError(
      Reason.NOT_FOUND,
      `${given} is not the id of a workforce agent, ${agentPrefix}…. ${remedy}`,
    );
  }
  return rpcError(Reason.NOT_FOUND, "The workforce agent does not exist in this project.");
}

export function unknownSlug(slug: string) {
  return rpcError(
    Reason.NOT_FOUND,
    `No workforce agent of this project has the slug ${JSON.stringify(slug)}.`,
  );
}

export function unknownThread() {
  return rpcError(Reason.NOT_FOUND, "The thread does not exist for this agent.");
}

export function unknownComputer() {
  return rpcError(Reason.NOT_FOUND, "The computer does not exist in this project.");
}

export function unknownProject() {
  return rpcError(Reason.NOT_FOUND, "The project does not exist.");
}

export function unknownWebhook() {
  return rpcError(Reason.NOT_FOUND, "The webhook does not exist in this project.");
}

export function unknownSchedule() {
  return rpcError(Reason.NOT_FOUND, "The schedule does not exist for this agent.");
}

export function unknownDelivery() {
  return rpcError(
    Reason.NOT_FOUND,
    "The webhook has no such delivery. Deliveries are kept for 7 days after their last attempt.",
  );
}

export function unknownHook() {
  return rpcError(Reason.NOT_FOUND, "The hook does not exist for this agent.");
}

export function unknownHookDelivery() {
  return rpcError(Reason.NOT_FOUND, "The hook has no such delivery. Deliveries are kept for 7 days.");
}

export function computerInUse() {
  return rpcError(Reason.COMPUTER_IN_USE, "An agent uses this computer. Delete the agent first.");
}

export function agentPaused() {
  return rpcError(Reason.AGENT_PAUSED, "The agent is paused. Resume it, then send the request again.");
}

export function queueFull() {
  const message = "Too many threads wait for the agent. Try again when some of them have ended.";
  return rpcError(Reason.QUEUE_FULL, message, { retryAfterMs: 10_000 });
}

export function inboxFull() {
  const message = "Too many messages wait in this thread. Try again when some of them have been answered.";
  return rpcError(Reason.QUEUE_FULL, message, { retryAfterMs: 10_000 });
}

export function threadClosed() {
  return rpcError(
    Reason.THREAD_CLOSED,
    "The conversation of this thread is too large for another message. Start a new thread.",
  );
}
