import type { Hook } from "@muster/client";
import { useState } from "react";
import { muster, refresh } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { EditForm } from "../../../parts/edit-form.tsx";
import { ifUnchanged } from "../../../parts/edited.tsx";
import { textIn } from "../../../parts/form.tsx";
import { Secret } from "../../../parts/secret.tsx";
import { hiredAgents } from "../read-of-agents.ts";
import { hookFields, hookIn } from "./hook-fields.tsx";
import { secretFields } from "./secret-field.tsx";

interface Props {
  hook: Hook;
  path: string;
  onClose: () => void;
}

export function EditHook({ hook, path, onClose }: Props) {
  const [isNewSecret, setNewSecret] = useState(false);
  const [secret, setSecret] = useState<string>();
  const save = async (edited: Hook, values: FormData) => {
    const secret = textIn(values, "verify.secret");
    const body = {
      ...hookIn(values),
      ...(secret !== undefined && { verify: { type: textIn(values, "verify.type"), secret } }),
    };
    await muster.request("PATCH", path, { headers: ifUnchanged(edited), body });
    await refresh(hiredAgents);
    return secret;
  };
  if (secret !== undefined)
    return (
      <>
        <Secret text={secret} name="the secret" />
        <p className="text-table text-muted">
          If deliveries are still signed in the same way, the earlier secret also works for 24 hours.
        </p>
        <div>
          <Button onClick={onClose}>Done</Button>
        </div>
      </>
    );
  return (
    <EditForm
      item={hook}
      save={save}
      onSaved={(secret) => (secret === undefined ? onClose() : setSecret(secret))}
      onClose={onClose}
    >
      {(at, edited) => (
        <>
          {hookFields(at, edited)}
          {isNewSecret ? (
            secretFields(at, edited.verify.type)
          ) : (
            <div>
              <Button onClick={() => setNewSecret(true)}>Replace the secret</Button>
            </div>
          )}
        </>
      )}
    </EditForm>
  );
}
