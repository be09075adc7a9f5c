import type { RunFacts, Theme, TimelineEvent } from "../src/index.ts";
import { incidentFacts, incidentTimeline } from "../test/support/incident.ts";
import { repairFacts, repairTimeline } from "./repair.ts";
import { surveyFacts, surveyTimeline } from "./survey.ts";

export interface Example {
  /** Part of the names of its files. */
  name: string;
  facts: RunFacts;
  events: TimelineEvent[];
  theme: Theme;
  /** When the picture is taken, in the time of the video. */
  seconds: number;
}

export const examples: readonly Example[] = [
  example("incident", incidentFacts, incidentTimeline(), "dark", 27),
  example("survey", surveyFacts, surveyTimeline(), "light", 24),
  example("repair", repairFacts, repairTimeline(), "dark", 30),
];

/** The run ends with its last event. */
function example(
  name: string,
  facts: RunFacts,
  events: TimelineEvent[],
  theme: Theme,
  seconds: number,
): Example {
  const endedAtMs = facts.startedAtMs + (events.at(-1)?.atMs ?? 0);
  return { name, facts: { ...facts, endedAtMs }, events, theme, seconds };
}
