import { Command } from "../../parts/copy.tsx";

/** A secret that the server does not show again. */
export function Secret({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <div role="status" className="grid gap-2 rounded-card border border-warn bg-panel p-3 text-table">
      <p>{children} It is shown only now: copy it.</p>
      <Command text={text} />
    </div>
  );
}
