/** Says that changes here do not last. */
export function Managed() {
  return (
    <p className="rounded-card border border-line bg-raised px-3 py-2 text-table">
      <code className="font-mono text-small">muster apply</code> manages this. Its next run replaces what you
      change here.
    </p>
  );
}

/** Why the platform has stopped it. */
export function PausedReason({ reason }: { reason: string }) {
  return (
    <p role="status" className="rounded-card border border-warn px-3 py-2 text-table">
      The platform has paused it. {reason}
    </p>
  );
}
