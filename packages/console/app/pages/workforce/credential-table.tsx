import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { refresh } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { When } from "../../parts/when.tsx";

interface Row {
  id: string;
  name: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

interface Props<Created> {
  /** `key` or `token`. */
  kind: string;
  rows: readonly Row[];
  /** Their address changes with each. */
  path: string;
  onCreate: (name: string) => Promise<Created>;
  onRevoke: (id: string) => Promise<unknown>;
  /** Shows the secret of the new one. */
  created: (made: Created) => ReactNode;
}

/** Keys or tokens with their last use; a new one shows its secret once. */
export function CredentialTable<Created>({ kind, rows, path, onCreate, onRevoke, created }: Props<Created>) {
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () => onCreate(name),
    onSuccess: () => {
      setName("");
      return refresh(path);
    },
  });
  return (
    <div className="grid max-w-3xl gap-4">
      <form
        className="flex items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField
            label={`Name of the new ${kind}`}
            placeholder="Where it is used"
            error={create.error}
            path="name"
            required
            autoComplete="off"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <Button type="submit" disabled={create.isPending}>
          Create {kind}
        </Button>
      </form>
      <Failure error={create.error} />
      {create.data !== undefined && created(create.data)}
      {rows.length === 0 ? (
        <p className="text-table text-muted">There are no {kind}s.</p>
      ) : (
        <ul aria-label={`${kind}s`} className="rounded-card border border-line bg-panel text-table">
          {rows.map(({ id, name: rowName, createdAt, expiresAt, lastUsedAt }) => (
            <li key={id} className="flex items-center gap-3 border-b border-line px-3 py-2 last:border-b-0">
              <div className="min-w-0 flex-1">
                <p className="truncate font-medium">{rowName}</p>
                <p className="text-small text-muted">
                  created <When at={createdAt} />
                  {lastUsedAt === null ? " · never used" : " · used "}
                  {lastUsedAt !== null && <When at={lastUsedAt} />}
                  {expiresAt !== null && " · expires "}
                  {expiresAt !== null && <When at={expiresAt} />}
                </p>
              </div>
              <Confirm
                label="Revoke"
                title={`Revoke ${rowName}?`}
                onConfirm={async () => {
                  await onRevoke(id);
                  await refresh(path);
                }}
              >
                Whatever uses this {kind} stops working at once.
              </Confirm>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
