import { type ReactNode, useState } from "react";
import { refresh } from "../../api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, textIn } from "../../parts/form.tsx";
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
  const [made, setMade] = useState<Created>();
  return (
    <div className="grid max-w-3xl gap-4">
      <Form
        label={`Create ${kind}`}
        look="plain"
        save={(values) => onCreate(textIn(values, "name") ?? "")}
        onSaved={(reply) => {
          setMade(reply);
          void refresh(path);
        }}
      >
        {(at) => (
          <TextField
            label={`Name of the new ${kind}`}
            placeholder="Where it is used"
            autoComplete="off"
            {...at("name")}
          />
        )}
      </Form>
      {made !== undefined && created(made)}
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
