import type { Provider, ProviderKey, ProviderKeyList, ProviderList } from "@muster/client";
import { useState } from "react";
import { muster, refresh, route, useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, textIn } from "../../parts/form.tsx";
import { ProviderStatus } from "../../parts/provider-status.tsx";
import { When } from "../../parts/when.tsx";

/** The project's own keys for model providers, which are used instead of those of the installation. */
export function Providers() {
  const { projectId } = useCredential();
  const path = route`/api/admin/projects/${projectId}/provider-keys`;
  const { data, error, refetch } = useApi<ProviderList>("/api/providers");
  const keys = useApi<ProviderKeyList>(path);
  if (data === undefined || keys.data === undefined) {
    const failed = error ?? keys.error;
    if (failed === null) return <Skeleton size="h-14" className="max-w-3xl gap-2" />;
    return <Failure error={failed} onRetry={() => void Promise.all([refetch(), keys.refetch()])} />;
  }
  const stored = keys.data.providerKeys;
  return (
    <div className="max-w-3xl">
      <p className="mb-4 text-muted">
        Models are called with the keys that the server was started with, unless the project has its own. Keys
        are stored encrypted, and never shown.
      </p>
      <ul className="rounded-card border border-line bg-panel">
        {data.providers
          .filter(({ name }) => name !== "demo")
          .map((provider) => (
            <Row
              key={provider.name}
              provider={provider}
              stored={stored.find((key) => key.provider === provider.name)}
              path={`${path}/${encodeURIComponent(provider.name)}`}
            />
          ))}
      </ul>
    </div>
  );
}

interface RowProps {
  provider: Provider;
  stored: ProviderKey | undefined;
  path: string;
}

function Row({ provider: { name, status, message }, stored, path }: RowProps) {
  const [isOpen, setOpen] = useState(false);
  const changed = () => refresh("/api/providers", path.slice(0, path.lastIndexOf("/")), "/api/admin/audit");
  const save = async (values: FormData) => {
    await muster.request("PUT", path, { body: { key: textIn(values, "key") ?? "" } });
    await changed();
  };
  const remove = async () => {
    await muster.request("DELETE", path);
    await changed();
  };
  const label = stored === undefined ? `Set a key for ${name}` : `Replace the key for ${name}`;
  return (
    <li className="grid gap-3 border-b border-line px-4 py-3 text-table last:border-b-0">
      <div className="flex flex-wrap items-center gap-3">
        <span className="min-w-0 flex-1">
          <span className="font-medium">{name}</span>
          <span className="block text-muted">
            {stored === undefined ? (
              "No key of the project"
            ) : (
              <>
                Own key {stored.lastFour !== null && <code className="font-mono">…{stored.lastFour}</code>},
                set <When at={stored.updatedAt} />
              </>
            )}
          </span>
        </span>
        <ProviderStatus status={status} />
        <Button aria-expanded={isOpen} aria-label={label} onClick={() => setOpen(!isOpen)}>
          {stored === undefined ? "Set a key" : "Replace"}
        </Button>
        {stored !== undefined && (
          <Confirm
            label="Delete"
            title={`Delete the project’s key for ${name}?`}
            name={name}
            onConfirm={remove}
          >
            Models of {name} are then called with the installation’s key, if it has one.
          </Confirm>
        )}
      </div>
      {message !== null && status !== "not_configured" && <p className="text-warn">{message}</p>}
      {isOpen && (
        <Form label="Save the key" look="plain" save={save} onSaved={() => setOpen(false)}>
          {(at) => <TextField label={`Key for ${name}`} type="password" autoComplete="off" {...at("key")} />}
        </Form>
      )}
    </li>
  );
}
