import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/field.tsx";

interface Props {
  isSending: boolean;
  onSend: (reason: string) => void;
  onClose: () => void;
}

/** Denies the call with a reason. */
export function Deny({ isSending, onSend, onClose }: Props) {
  const [reason, setReason] = useState("");
  return (
    <form
      className="grid gap-3"
      onKeyDown={({ key }) => key === "Escape" && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        onSend(reason.trim());
      }}
    >
      <TextField
        label="Why is it denied?"
        hint="The model reads the reason and can act on it. Optional."
        autoComplete="off"
        // A key has opened the form to write the reason.
        autoFocus
        maxLength={2_000}
        value={reason}
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" look="danger" disabled={isSending}>
          Deny
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
