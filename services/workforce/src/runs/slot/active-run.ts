import { Claim } from "@muster/service/claim";
import { type AgentDocument, type AgentKey, keyOfAgent } from "../../store/agent-document.ts";
import type { ThreadKey } from "../../store/thread-document.ts";
import type { Driver } from "../../store/thread-moves.ts";

/** A run that this process drives: it owns the agent's slot under this epoch. */
export class ActiveRun extends Claim {
  readonly agent: AgentDocument;
  readonly agentKey: AgentKey;
  readonly threadKey: ThreadKey;
  readonly driver: Driver;
  readonly isTakeOver: boolean;
  /** The thread belongs to the run: from its assignment to its final status. */
  ownsThread = false;
  /** The computer has seen this epoch of the agent, which is newer than that of the run. */
  newestEpoch: number | undefined;

  /** `agent`: as the claim, or the take-over, left it. */
  constructor(agent: AgentDocument, isTakeOver: boolean) {
    super();
    if (agent.current === null) throw new Error(`The agent ${agent._id} has no run`);
    const { threadId, runId } = agent.current;
    this.agent = agent;
    this.agentKey = keyOfAgent(agent);
    this.threadKey = { ...this.agentKey, threadId };
    this.driver = { runId, epoch: agent.epoch };
    this.isTakeOver = isTakeOver;
  }
}
