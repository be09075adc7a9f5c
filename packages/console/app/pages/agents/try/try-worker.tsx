import type { WorkerProgram } from "@muster/language";
import { useMemo, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { InputForm } from "../../../parts/input-form.tsx";
import { inputOf, type Texts } from "../../../parts/input-values.ts";
import { Json } from "../../../parts/json.tsx";
import { Section } from "../../../parts/page.tsx";
import { AnswerForm } from "../../sessions/answer-form.tsx";
import { Transcript } from "../../sessions/transcript.tsx";
import { useAgent } from "../agent.tsx";
import { useWorkerRun } from "./use-worker-run.ts";

/** Runs a worker once, with inputs from a form. */
export function TryWorker({ program }: { program: WorkerProgram }) {
  const { id, settings } = useAgent();
  const [texts, setTexts] = useState<Texts>({});
  const { state, messages, toolCalls, output, error, start, stop, answer } = useWorkerRun(id);
  const waiting = useMemo(() => new Set(toolCalls.map(({ toolCallId }) => toolCallId)), [toolCalls]);
  const isRunning = state === "running";
  return (
    <div className="grid grid-cols-[minmax(16rem,24rem)_minmax(0,1fr)] items-start gap-6 max-md:grid-cols-1">
      <form
        aria-label="Input"
        className="grid gap-3 rounded-card border border-line bg-panel p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRunning) start(inputOf(program.input, texts));
        }}
      >
        <h2 className="text-body font-semibold">Input</h2>
        {Object.keys(program.input).length === 0 && (
          <p className="text-table text-muted">The definition declares none.</p>
        )}
        <InputForm specs={program.input} texts={texts} onChange={setTexts} error={error} path="input" />
        <div className="flex justify-end gap-2">
          {isRunning && <Button onClick={stop}>Stop</Button>}
          <Button type="submit" look="primary" disabled={isRunning}>
            Run
          </Button>
        </div>
      </form>
      <div className="grid min-w-0 content-start gap-4">
        {state === "idle" && (
          <p className="py-6 text-center text-muted">
            The steps of a run and the value that it returns appear here.
          </p>
        )}
        <Transcript {...{ messages, waiting }} agentName={settings.name} />
        {toolCalls.map((call) => (
          <AnswerForm
            key={call.toolCallId}
            call={call}
            example={undefined}
            onAnswer={(outcome) => answer(call.toolCallId, outcome)}
          />
        ))}
        <Failure error={error} />
        {state === "done" && (
          <Section title="Output">
            <Json value={output ?? null} label="the output" />
          </Section>
        )}
      </div>
    </div>
  );
}
