import { Code } from "@connectrpc/connect";
import { callOptions, readRpcError } from "@muster/rpc";
import type { Clock, NewId } from "@muster/service";
import type { Services } from "./context.ts";
import { HttpProblem } from "./errors/http-problem.ts";

const probeTimeoutMs = 2_000;
const rememberMs = 1_000;

/**
 * Creates the check behind `/readyz`: every service responds. The probes are reads without a principal, which each
 * service refuses cheaply, without using its store. Results are cached for a second, so that flooding the public
 * endpoint does not reach the services.
 */
export function createReadinessCheck(services: Services, clock: Clock, newId: NewId): () => Promise<void> {
  let latest: { at: number; result: Promise<void> } | undefined;
  return () => {
    const nowMs = clock.now();
    if (!latest || nowMs - latest.at >= rememberMs) latest = { at: nowMs, result: probeAll(services, newId) };
    return latest.result;
  };
}

async function probeAll({ auth, agents, sessions }: Services, newId: NewId): Promise<void> {
  const options = callOptions({ requestId: newId("req"), timeoutMs: probeTimeoutMs });
  const probes = {
    auth: auth.authenticate({ credential: "" }, options),
    agents: agents.listAgents({}, options),
    sessions: sessions.getSession({ sessionId: "" }, options),
  };
  const silences = await Promise.all(
    Object.entries(probes).map(([name, probe]) =>
      probe.then(
        () => [],
        (error: unknown) => (isAnswer(error) ? [] : [name]),
      ),
    ),
  );
  const silent = silences.flat();
  if (silent.length > 0)
    throw new HttpProblem("UNAVAILABLE", `Not ready: ${silent.join(", ")} cannot be reached.`);
}

/** A refusal is a response of the service; an error of the transport is not. */
function isAnswer(error: unknown): boolean {
  const { code } = readRpcError(error);
  return code !== Code.Unavailable && code !== Code.DeadlineExceeded && code !== Code.Canceled;
}
