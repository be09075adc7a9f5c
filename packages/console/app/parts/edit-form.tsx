import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Edited } from "./edited.tsx";
import { type At, Form } from "./form.tsx";

interface Props<Item, Saved> {
  item: Item;
  save: (edited: Item, values: FormData) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
  children: (at: At, edited: Item) => ReactNode;
}

/** Edits an item instead of showing it. */
export function EditForm<Item extends { revision: number }, Saved>(props: Props<Item, Saved>) {
  const { item, save, onSaved, onClose, children } = props;
  return (
    <Edited item={item}>
      {(edited) => (
        <Form
          label="Save"
          save={(values) => save(edited, values)}
          onSaved={onSaved}
          beside={
            <Button look="quiet" onClick={onClose}>
              Cancel
            </Button>
          }
        >
          {(at) => children(at, edited)}
        </Form>
      )}
    </Edited>
  );
}
