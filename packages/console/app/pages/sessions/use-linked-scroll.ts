import { type RefObject, useEffect, useRef } from "react";
import type { Step } from "./step.ts";

/** For the element that scrolls. */
export interface LinkedScroll {
  ref: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
}

/**
 * Scrolls the transcript and the rows together: the chosen step is in view in both, and a pane that its reader scrolls takes
 * the other one along. Elements name their step in `data-step` and `data-row`.
 */
export function useLinkedScroll(selectedId: string | undefined, steps: readonly Step[]) {
  const transcript = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const latest = useRef(steps);
  latest.current = steps;

  useEffect(() => {
    if (selectedId === undefined) return;
    bring(rows.current, `[data-row="${CSS.escape(selectedId)}"]`);
    showStep(transcript.current, latest.current, selectedId);
  }, [selectedId]);

  const follow = (pane: HTMLElement | null, name: "step" | "row") => {
    // Only the pane that is being read leads.
    if (!pane?.matches(":hover, :focus-within")) return;
    const top = pane.getBoundingClientRect().top;
    const first = [...pane.querySelectorAll<HTMLElement>(`[data-${name}]`)].find(
      (element) => element.getBoundingClientRect().bottom > top + 8,
    );
    const stepId = first?.dataset[name];
    if (stepId === undefined) return;
    if (name === "step") bring(rows.current, `[data-row="${CSS.escape(stepId)}"]`);
    else showStep(transcript.current, latest.current, stepId);
  };
  return {
    transcript: { ref: transcript, onScroll: () => follow(transcript.current, "step") },
    rows: { ref: rows, onScroll: () => follow(rows.current, "row") },
  };
}

/** A step without a place in the transcript is where the one before it is. */
function showStep(pane: HTMLElement | null, steps: readonly Step[], stepId: string): void {
  const at = steps.findIndex(({ id }) => id === stepId);
  const turnId = steps[at]?.executionId;
  for (let index = at; index >= 0 && steps[index]?.executionId === turnId; index--)
    if (bring(pane, `[data-step="${CSS.escape(steps[index]?.id ?? "")}"]`)) return;
}

/** Only this pane scrolls, never what is around it. False if the pane has no such element. */
function bring(pane: HTMLElement | null, selector: string): boolean {
  const element = pane?.querySelector(selector);
  if (!pane || !element) return false;
  const [outer, inner] = [pane.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) pane.scrollTop += inner.top - outer.top - 8;
  else if (inner.bottom > outer.bottom)
    pane.scrollTop += Math.min(inner.bottom - outer.bottom + 8, inner.top - outer.top - 8);
  return true;
}
