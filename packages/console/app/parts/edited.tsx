import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";

interface Props<Item> {
  /** The stored state. */
  item: Item;
  /** `edited`: the state from when the form was opened, or from its last save. */
  children: (edited: Item, saved: (item: Item) => void) => ReactNode;
}

/** A form about something that others can change at the same time: their changes show, and overwrite no input. */
export function Edited<Item extends { revision: number }>({ item, children }: Props<Item>) {
  const [edited, setEdited] = useState(item);
  return (
    <>
      {item.revision > edited.revision && (
        <div
          role="status"
          className="flex items-center gap-3 rounded-card border border-line bg-raised p-3 text-table"
        >
          <span className="flex-1 text-warn">This was changed elsewhere since you opened it.</span>
          <Button onClick={() => setEdited(item)}>Show the change</Button>
        </div>
      )}
      <div key={edited.revision} className="grid gap-5">
        {children(edited, setEdited)}
      </div>
    </>
  );
}

/** The condition that nobody has changed it since. */
export function ifUnchanged({ revision }: { revision: number }): { "if-match": string } {
  return { "if-match": `"${revision}"` };
}
