import { Tabs } from "@base-ui/react/tabs";
import type { LogEntry } from "@muster/client";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { duration } from "../../parts/format.ts";
import { Status } from "../../parts/status.tsx";
import { LogEntries } from "./log-entries.tsx";
import { ModelRequest } from "./model-request.tsx";
import type { Step } from "./step.ts";
import { StepOverview } from "./step-overview.tsx";

interface Props {
  step: Step;
  sessionId: string;
  known: readonly LogEntry[];
  onClose: () => void;
  /** Repeats the turn of the step. */
  again: ReactNode;
}

const tabShape =
  "h-8 border-b-2 border-transparent px-1 text-table text-muted hover:text-text data-active:border-accent data-active:text-text aria-selected:border-accent aria-selected:text-text";

/** Everything that the log says about a step. */
export function StepDetails({ step, sessionId, known, onClose, again }: Props) {
  const { title, state, startMs, endMs, stats } = step;
  return (
    <section
      aria-label={`Details of ${title}`}
      className="flex max-h-[58%] min-h-0 shrink-0 flex-col border-t border-line bg-panel max-md:max-h-none"
    >
      <Tabs.Root key={step.id} defaultValue="overview" className="flex min-h-0 flex-col">
        <div className="flex items-center gap-x-4 border-b border-line px-4">
          <h2 className="min-w-0 truncate text-table font-semibold">{title}</h2>
          <span className="text-small max-lg:hidden">
            <Status state={state} />
          </span>
          {endMs !== undefined && endMs > startMs && (
            <span className="text-small whitespace-nowrap text-muted max-lg:hidden">
              {duration(endMs - startMs)}
            </span>
          )}
          <Tabs.List className="ml-auto flex gap-3">
            <Tabs.Tab value="overview" className={tabShape}>
              Overview
            </Tabs.Tab>
            {stats !== undefined && (
              <Tabs.Tab value="request" className={tabShape}>
                Request
              </Tabs.Tab>
            )}
            <Tabs.Tab value="log" className={tabShape}>
              Log
            </Tabs.Tab>
          </Tabs.List>
          <Button look="quiet" className="-mr-2" onClick={onClose} aria-label="Close the details">
            <X size={16} aria-hidden="true" className="shrink-0" />
          </Button>
        </div>
        <div className="min-h-0 overflow-auto p-4">
          <Tabs.Panel value="overview">
            <StepOverview step={step} again={again} />
          </Tabs.Panel>
          {stats !== undefined && (
            <Tabs.Panel value="request">
              <ModelRequest sessionId={sessionId} call={stats} known={known} />
            </Tabs.Panel>
          )}
          <Tabs.Panel value="log">
            <LogEntries sessionId={sessionId} entries={step.entries} />
          </Tabs.Panel>
        </div>
      </Tabs.Root>
    </section>
  );
}
