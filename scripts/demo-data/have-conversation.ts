import {
  type ApprovalHandler,
  type Muster,
  MusterError,
  type Session,
  type ToolHandlers,
} from "@muster/client";
import type { ModelServer } from "./model-server.ts";
import type { MovingClock } from "./moving-clock.ts";
import type { Random } from "./random.ts";
import type { StoryTurn } from "./story.ts";

export interface Conversation {
  agentSlug: string;
  subject: string;
  metadata: Record<string, string>;
  turns: readonly StoryTurn[];
  /** A colleague's decision about a call that waits. Absent: there is none. */
  decision?: "approve" | "deny";
}

export interface Conversing {
  /** Opens sessions. */
  muster: Muster;
  /** Decides. */
  operations: Muster;
  models: ModelServer;
  clock: MovingClock;
  random: Random;
}

/** Opens a session and has its turns, as a user who reads, thinks and types, until one fails or waits for a decision. */
export async function haveConversation(
  { muster, operations, models, clock, random }: Conversing,
  { agentSlug, subject, metadata, turns, decision }: Conversation,
): Promise<{ session: Session; approvalId: string | undefined }> {
  const sender = { id: subject, name: metadata.name ?? subject };
  const session = await muster.sessions.create({ agentSlug, subject, metadata });
  for (const turn of turns) {
    models.add(turn);
    clock.advance(random.between(4_000, 90_000));
    const tools = toolsOf(turn, clock, random);
    try {
      const sent = session.trigger("user-message", { USER_MESSAGE: turn.user }, { tools, sender });
      const { approvals, executionId } = await sent.result();
      const [approval] = approvals;
      if (approval === undefined) continue;
      await clock.rest(150);
      if (decision === undefined) return { session, approvalId: approval.approvalId };
      clock.advance(random.between(40_000, 2_400_000));
      await operations.approvals.decide(approval.approvalId, verdicts[decision]);
      await session.attach({ executionId, after: sent.after }, { tools }).result();
    } catch (error) {
      if (turn.steps.every(({ failure }) => failure === undefined) || !(error instanceof MusterError))
        throw error;
      break;
    }
  }
  return { session, approvalId: undefined };
}

const verdicts = {
  approve: { decision: "approve" },
  deny: { decision: "deny", message: "The photo shows a lamp of another shop. Please ask for the receipt." },
} as const satisfies Record<string, Awaited<ReturnType<ApprovalHandler>>>;

/** Executes the calls of the turn as its story says. */
function toolsOf({ steps }: StoryTurn, clock: MovingClock, random: Random): ToolHandlers {
  const waiting = steps.flatMap(({ calls = [] }) => calls);
  return {
    "*": (_input, { call }) => {
      clock.advance(random.between(60, 700));
      const index = waiting.findIndex(({ name }) => name === call.toolName);
      return waiting.splice(index, 1)[0]?.result;
    },
  };
}
