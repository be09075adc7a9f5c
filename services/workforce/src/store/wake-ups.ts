import type { Bus, Subscription } from "@muster/events";
import type { Logger, NewId } from "@muster/service";
import type { AgentKey } from "./agent-document.ts";
import type { RecordingKey } from "./recording-document.ts";
import type { ThreadKey } from "./thread-document.ts";
import type { WebhookKey } from "./webhook-document.ts";

type Listener<T> = (event: T) => void;

/**
 * Wakes those who wait for an agent or a thread, on every instance. The store is the truth: the contents of every event
 * are read there, and every waiting process also polls now and then.
 */
export type WakeUps = ReturnType<typeof createWakeUps>;

interface WakeUpOptions {
  bus: Bus;
  log: Logger;
  newId: NewId;
}

export function createWakeUps({ bus, log, newId }: WakeUpOptions) {
  const agentListeners = new Set<Listener<AgentKey>>();
  const threadListeners = new Map<string, Set<() => void>>();
  const decisionListeners = new Set<Listener<ThreadKey>>();
  const subscriptions: Subscription[] = [];
  const failed = (error: unknown) => log.warn({ err: error }, "a change could not be announced");
  return {
    /** The agent's queue, pause or run has changed: look whether something can begin. */
    agentChanged: ({ projectId, agentId }: AgentKey) => {
      bus.publish("workforce.agent", { projectId, agentId }, { id: newId("evt") }).catch(failed);
    },
    /** The thread has changed: readers read it again, and its driver checks whether it was cancelled. */
    threadChanged: ({ projectId, agentId, threadId }: ThreadKey) => {
      bus.publish("workforce.thread", { projectId, agentId, threadId }, { id: newId("evt") }).catch(failed);
    },
    /** A recorder can render the recording. */
    recordingEnded: ({ projectId, recordingId }: RecordingKey) => {
      bus.publish("workforce.recording", { projectId, recordingId }, { id: newId("evt") }).catch(failed);
    },
    /** Deliveries of the webhook were sent. */
    webhookChanged: ({ projectId, webhookId }: WebhookKey) => {
      bus.publish("workforce.webhook", { projectId, webhookId }, { id: newId("evt") }).catch(failed);
    },
    /** Returns a function that stops listening. */
    onAgent: (listener: Listener<AgentKey>) => {
      agentListeners.add(listener);
      return () => agentListeners.delete(listener);
    },
    /** The last decision that a thread waits for has been made. */
    onDecided: (listener: Listener<ThreadKey>) => {
      decisionListeners.add(listener);
      return () => decisionListeners.delete(listener);
    },
    onThread: (threadId: string, listener: () => void) => {
      const listeners = threadListeners.get(threadId) ?? new Set();
      threadListeners.set(threadId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && threadListeners.get(threadId) === listeners)
          threadListeners.delete(threadId);
      };
    },
    /** Events may have been missed. */
    onRebuild: (listener: () => void) => bus.onRebuild(listener),
    start: async () => {
      const everywhere = { broadcast: true } as const;
      subscriptions.push(
        await bus.subscribe("workforce.agent", everywhere, async (event) => {
          for (const listener of [...agentListeners]) listener(event);
        }),
        await bus.subscribe("workforce.decided", everywhere, async (event) => {
          for (const listener of [...decisionListeners]) listener(event);
        }),
        await bus.subscribe("workforce.thread", everywhere, async ({ threadId }) => {
          for (const listener of [...(threadListeners.get(threadId) ?? [])]) listener();
        }),
      );
    },
    stop: async () => {
      await Promise.all(subscriptions.splice(0).map((subscription) => subscription.close()));
    },
  };
}
