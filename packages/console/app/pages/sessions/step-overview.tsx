import type { ReactNode } from "react";
import { count, duration, money } from "../../parts/format.ts";
import { Json } from "../../parts/json.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Facts } from "../../parts/page.tsx";
import { When } from "../../parts/when.tsx";
import { explainError } from "./explain-error.ts";
import { entryOf, type Step } from "./step.ts";

type Row = readonly [name: string, value: ReactNode];

/** A step for users: why it failed, its use, its input and its output. */
export function StepOverview({ step, again }: { step: Step; again: ReactNode }) {
  const { kind, error, state } = step;
  const rows = [...timeOf(step), ...modelFacts(step), ...approvalFacts(step)];
  return (
    <div className="grid grid-cols-1 gap-4">
      {error !== undefined && (
        <div role="note" className="grid grid-cols-1 gap-1.5 rounded-card border border-bad/60 p-3">
          <p className="font-medium break-words text-bad">{error.message}</p>
          <p className="text-table">{explainError(error)}</p>
          {error.provider !== undefined && (
            <p className="text-small text-muted">
              {[
                error.provider.name,
                error.provider.model,
                error.provider.statusCode,
                error.provider.requestId,
              ]
                .filter(Boolean)
                .join(" · ")}
            </p>
          )}
          {error.isHandled === false && <div>{again}</div>}
        </div>
      )}
      <Facts rows={rows} />
      {kind === "turn" && state !== "running" && state !== "waiting" && <div>{again}</div>}
      <Content step={step} />
    </div>
  );
}

function Content({ step }: { step: Step }) {
  const call = entryOf(step, "tool-call");
  const result = entryOf(step, "tool-result");
  const trigger = entryOf(step, "trigger");
  const worker = entryOf(step, "worker-execution");
  const output = entryOf(step, "worker-output");
  const edited = entryOf(step, "approval")?.args;
  const compaction = entryOf(step, "compaction");
  const first = step.entries.find((entry) => entry.type === "trigger" && entry.input !== undefined);
  const input = first?.type === "trigger" ? first.input : trigger?.input;
  return (
    <>
      {input !== undefined && <Value title="Input" value={input} />}
      {call !== undefined && <Value title="Arguments" value={call.args} />}
      {edited !== undefined && <Value title="Arguments as decided" value={edited} />}
      {result?.status === "done" && <Value title="Result" value={result.result} />}
      {worker?.input !== undefined && <Value title="Input" value={worker.input} />}
      {output?.output !== undefined && <Value title="Output" value={output.output} />}
      {compaction?.summary !== undefined && <Value title="Summary" value={compaction.summary} />}
      {step.entries.map((entry) => {
        if (entry.type === "llm-response")
          return <Value key={entry.id} title="Response" value={entry.text} />;
        if (entry.type === "reasoning") return <Value key={entry.id} title="Reasoning" value={entry.text} />;
        if (entry.type !== "llm-tool-request") return null;
        return entry.toolCalls.map(({ toolCallId, toolName, args }) => (
          <Value key={toolCallId} title={`Calls ${toolName}`} value={args} />
        ));
      })}
    </>
  );
}

function Value({ title, value }: { title: string; value: unknown }) {
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <h3 className="text-small font-medium text-muted">{title}</h3>
      {typeof value === "string" ? (
        <Markdown text={value} />
      ) : (
        <Json value={value} label={title.toLowerCase()} />
      )}
    </div>
  );
}

function timeOf({ startMs, endMs, isWaiting, kind, executionId }: Step): Row[] {
  const took = endMs === undefined || endMs === startMs ? [] : [duration(endMs - startMs)];
  return [
    ["Began", <When key="began" at={new Date(startMs).toISOString()} />],
    ...took.map((time): Row => [isWaiting ? "Waited" : "Took", time]),
    ...(kind === "turn"
      ? [
          [
            "Execution",
            <code key="id" className="font-mono text-small">
              {executionId}
            </code>,
          ] as const,
        ]
      : []),
  ];
}

function modelFacts({ stats }: Step): Row[] {
  if (stats === undefined) return [];
  const { model, isBackup, finishReason, firstPartMs, tokens, cost } = stats;
  const rows: Row[] = [
    ["Model", isBackup ? `${model} (backup)` : model],
    ["Ended with", finishReason],
  ];
  if (firstPartMs !== undefined) rows.push(["First token", duration(firstPartMs)]);
  if (tokens !== undefined) {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = tokens;
    const more = [
      [cacheReadTokens, "from the cache"],
      [cacheWriteTokens, "to the cache"],
      [reasoningTokens, "of reasoning"],
    ].flatMap(([value, words]) => (value ? `${count(Number(value))} ${words}` : []));
    rows.push(["Tokens", [`${count(inputTokens)} in`, `${count(outputTokens)} out`, ...more].join(" · ")]);
  }
  if (cost !== undefined) rows.push(["Cost", money(cost.totalFee)]);
  return rows;
}

function approvalFacts(step: Step): Row[] {
  const approval = entryOf(step, "approval");
  if (approval === undefined) return [];
  const rows: Row[] = [["Decision", approval.status]];
  if (approval.decidedBy !== undefined) rows.push(["Decided by", approval.decidedBy]);
  if (approval.message !== undefined) rows.push(["Note", approval.message]);
  return rows;
}
