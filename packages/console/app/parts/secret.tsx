import { Command } from "./copy.tsx";

/** A secret that the server shows once. Escape does not close a panel that shows it. */
export function Secret({ text, name }: { text: string; name: string }) {
  return (
    <div role="status" data-secret className="grid gap-2 rounded-card border border-good p-3">
      <p className="text-table">
        Copy {name} now: it is shown only once, and the server stores no readable copy.
      </p>
      <Command text={text} />
    </div>
  );
}
