import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { useKey } from "./keys.ts";

const keys = [
  ["⌘K, Ctrl K", "Search pages, agents and sessions"],
  ["J, K, ↓, ↑", "Move in a list"],
  ["Enter", "Open the row"],
  ["A, D, E, R", "Approve, deny or edit a call, show its JSON"],
  ["F8", "Go to the next problem of a definition"],
  ["⌘S, Ctrl S", "Save a definition"],
  ["?", "Show these keys"],
  ["Esc", "Close"],
] as const;

/** `?` shows the keys. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  useKey("?", () => setOpen(true));
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-ground/70" />
        <Dialog.Popup className="fixed top-1/4 left-1/2 z-40 w-[min(26rem,92vw)] -translate-x-1/2 rounded-card border border-line bg-panel p-5 shadow-card">
          <Dialog.Title className="mb-3 font-semibold">Keys</Dialog.Title>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-table">
            {keys.map(([key, effect]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="rounded-chip border border-line bg-raised px-1.5 font-mono text-small">
                    {key}
                  </kbd>
                </dt>
                <dd className="text-muted">{effect}</dd>
              </div>
            ))}
          </dl>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
