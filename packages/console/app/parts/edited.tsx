import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

interface Props<Item> {
  /** The stored state. */
  item: Item;
  /** The part that the form edits; changes of other parts are no conflict. Default: all of it. */
  partOf?: (item: Item) => unknown;
  /** `edited`: the state from when the form was opened, or from its last save. */
  children: (edited: Item, saved: (item: Item) => void) => ReactNode;
}

/** A form about something that others can change at the same time: their changes show, and overwrite no input. */
export function Edited<Item extends { revision: number }>({
  item,
  partOf = (item) => item,
  children,
}: Props<Item>) {
  const [{ edited, opened }, setForm] = useState({ edited: item, opened: item.revision });
  const show = (item: Item) => setForm({ edited: item, opened: item.revision });
  const isNewer = item.revision > edited.revision;
  const isSame = isNewer && JSON.stringify(partOf(item)) === JSON.stringify(partOf(edited));
  if (isSame) setForm({ edited: item, opened });
  return (
    <>
      {isNewer && !isSame && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-card border border-line bg-raised p-3 text-table"
        >
          <span className="min-w-48 flex-1 text-warn">This has changed elsewhere since you opened it.</span>
          <Button onClick={() => show(item)}>Discard my changes</Button>
          <Button onClick={() => setForm({ edited: { ...edited, revision: item.revision }, opened })}>
            Keep my changes
          </Button>
        </div>
      )}
      <div key={opened} className="grid gap-5">
        {children(edited, show)}
      </div>
    </>
  );
}

/** The condition that it has not changed since. */
export function ifUnchanged({ revision }: { revision: number }): { "if-match": string } {
  return { "if-match": `"${revision}"` };
}
