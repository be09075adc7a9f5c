import type { ActiveSession } from "@muster/client";
import { Braces, Link2 } from "lucide-react";
import { useState } from "react";
import { muster } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";

/** The actions on a session as a whole. */
export function SessionActions({
  session: { id },
  onDelete,
}: {
  session: ActiveSession;
  onDelete: () => Promise<void>;
}) {
  const [isCopied, setCopied] = useState(false);
  const [isOpening, setOpening] = useState(false);
  const share = async () => {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const download = async () => {
    setOpening(true);
    try {
      const whole = await muster.sessions.open(id).get();
      const blob = new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" });
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${id}.json`;
      link.click();
      URL.revokeObjectURL(link.href);
    } finally {
      setOpening(false);
    }
  };
  return (
    <>
      <Button look="quiet" icon={<Link2 size={14} aria-hidden="true" />} onClick={() => void share()}>
        {isCopied ? "Copied" : "Copy link"}
      </Button>
      <Button
        look="quiet"
        disabled={isOpening}
        icon={<Braces size={14} aria-hidden="true" />}
        onClick={() => void download()}
      >
        JSON
      </Button>
      <Confirm
        label="Delete"
        title="Delete this session?"
        onConfirm={async () => {
          await muster.sessions.open(id).clear();
          await onDelete();
        }}
      >
        Its messages, variables and log are removed, and a running turn is stopped. The usage still counts its
        cost.
      </Confirm>
    </>
  );
}
