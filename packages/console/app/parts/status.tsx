type Tone = "accent" | "warn" | "faint" | "good" | "bad" | "muted";

/** The tone of every state that the API names. An unknown one is neutral, so a newer server shows its word. */
const tones: Readonly<Record<string, Tone>> = {
  running: "accent",
  active: "good",
  waiting: "warn",
  expired: "muted",
  queued: "faint",
  pending: "warn",
  completed: "good",
  done: "good",
  approved: "good",
  delivered: "good",
  failed: "bad",
  blocked: "bad",
  denied: "bad",
  error: "bad",
  cancelled: "muted",
  paused: "warn",
  archived: "muted",
  idle: "faint",
};

const colours: Readonly<Record<Tone, string>> = {
  accent: "bg-accent",
  warn: "bg-warn",
  faint: "bg-faint",
  good: "bg-good",
  bad: "bg-bad",
  muted: "bg-muted",
};

/** A state as a dot and its word. `tone`: for states that mean something else here. */
export function Status({ state, tone = tones[state] ?? "muted" }: { state: string; tone?: Tone }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${colours[tone]} ${state === "running" ? "pulse-dot" : ""}`}
      />
      {state}
    </span>
  );
}
