import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Failure } from "./failure.tsx";
import { TextField } from "./field.tsx";

interface Props {
  /** The button that opens it, and the word on the one that does it. */
  label: string;
  title: string;
  /** The loss, in a sentence. */
  children: ReactNode;
  /** To be typed; absent for what can be made again. */
  name?: string | undefined;
  onConfirm: () => Promise<unknown>;
}

/** Confirms what cannot be undone. */
export function Confirm({ label, title, children, name, onConfirm }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const act = useMutation({ mutationFn: onConfirm, onSuccess: () => setOpen(false) });
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        setOpen(open);
        setTyped("");
        act.reset();
      }}
    >
      <AlertDialog.Trigger render={<Button look="danger">{label}</Button>} />
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 bg-ground/70" />
        <AlertDialog.Popup className="fixed top-1/4 left-1/2 grid w-[min(28rem,92vw)] -translate-x-1/2 gap-3 rounded-card border border-line bg-panel p-5 shadow-card">
          <AlertDialog.Title className="text-body font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="text-table text-muted">
            {children}
          </AlertDialog.Description>
          {name !== undefined && (
            <TextField
              label={`Type ${name} to confirm`}
              value={typed}
              autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
          <Failure error={act.error} />
          <div className="flex justify-end gap-2">
            <AlertDialog.Close render={<Button look="quiet">Keep it</Button>} />
            <Button
              look="danger"
              disabled={act.isPending || (name !== undefined && typed !== name)}
              onClick={() => act.mutate()}
            >
              {label}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
