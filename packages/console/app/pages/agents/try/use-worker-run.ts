import type { RequestedToolCall, UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import { useEffect, useRef, useState } from "react";
import { muster } from "../../../api.ts";

interface Run {
  state: "idle" | "running" | "done" | "failed" | "stopped";
  messages: readonly UiMessage[];
  /** Calls that wait for `answer`. */
  toolCalls: readonly RequestedToolCall[];
  output: unknown;
  error: Error | null;
}

const idle: Run = { state: "idle", messages: [], toolCalls: [], output: undefined, error: null };

/** One run of a worker at a time. It ends with the page, because the server does not keep its events. */
export function useWorkerRun(agentId: string) {
  const [run, setRun] = useState(idle);
  const reading = useRef<AbortController>(undefined);
  const answers = useRef(new Map<string, PromiseWithResolvers<unknown>>());
  useEffect(() => () => reading.current?.abort(), []);

  const start = async (input: Record<string, unknown>) => {
    reading.current?.abort();
    const stop = new AbortController();
    reading.current = stop;
    const { signal } = stop;
    const change = (changed: Partial<Run>) => {
      if (reading.current === stop) setRun((before) => ({ ...before, ...changed }));
    };
    setRun({ ...idle, state: "running" });
    const ask = async (call: RequestedToolCall): Promise<unknown> => {
      const { toolCallId } = call;
      const answer = Promise.withResolvers<unknown>();
      answers.current.set(toolCallId, answer);
      signal.addEventListener("abort", () => answer.reject(signal.reason));
      setRun((before) => ({ ...before, toolCalls: [...before.toolCalls, call] }));
      return answer.promise.finally(() =>
        setRun((before) => ({
          ...before,
          toolCalls: before.toolCalls.filter((each) => each.toolCallId !== toolCallId),
        })),
      );
    };
    try {
      const fold = new EventFold();
      const turn = muster.agents.execute(agentId, input, {
        tools: { "*": (_, { call }) => ask(call) },
        signal,
      });
      for await (const event of turn) {
        fold.take(event);
        change({ messages: fold.messages() });
      }
      change({ state: "done", output: (await turn.result()).output });
    } catch (error) {
      if (signal.aborted) change({ state: "stopped" });
      else change({ state: "failed", error: error instanceof Error ? error : new Error(String(error)) });
    }
  };
  return {
    ...run,
    start: (input: Record<string, unknown>) => void start(input),
    stop: () => reading.current?.abort(),
    answer: (toolCallId: string, outcome: { result: unknown } | { error: string }) => {
      const answer = answers.current.get(toolCallId);
      if ("error" in outcome) answer?.reject(new Error(outcome.error));
      else answer?.resolve(outcome.result);
    },
  };
}
