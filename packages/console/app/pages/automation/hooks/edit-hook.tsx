import type { Hook } from "@muster/client";
import { useState } from "react";
import { muster, refresh } from "../../../api.ts";
import { Button } from "../../../parts/button.tsx";
import { Edited, ifUnchanged } from "../../../parts/edited.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
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
          If the sender signs in the same way, the earlier one works as well for 24 hours.
        </p>
        <div>
          <Button onClick={onClose}>Done</Button>
        </div>
      </>
    );
  return (
    <Edited item={hook}>
      {(edited) => (
        <Form
          label="Save"
          save={(values) => save(edited, values)}
          onSaved={(secret) => (secret === undefined ? onClose() : setSecret(secret))}
          beside={
            <Button look="quiet" onClick={onClose}>
              Cancel
            </Button>
          }
        >
          {(at) => (
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
        </Form>
      )}
    </Edited>
  );
}
