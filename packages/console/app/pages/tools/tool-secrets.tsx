import type { ProjectList, SetToolSecret, ToolSecret, ToolSecretList } from "@muster/client";
import { useState } from "react";
import { muster, refresh, route, useApi } from "../../api.ts";
import { useCredential } from "../../frame/credential.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty, Skeleton } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/field.tsx";
import { Form, textIn } from "../../parts/form.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { Secret } from "../../parts/secret.tsx";
import { When } from "../../parts/when.tsx";

/** The secrets with which the platform signs calls of HTTP tools, by host. */
export function ToolSecrets() {
  const { projectId } = useCredential();
  const path = route`/api/admin/projects/${projectId}/tool-secrets`;
  const { data, error, refetch } = useApi<ToolSecretList>(path);
  const projects = useApi<ProjectList>("/api/admin/projects");
  const hosts = projects.data?.projects.find(({ id }) => id === projectId)?.toolHosts ?? [];
  const without = hosts.filter(({ host }) => !data?.toolSecrets.some((secret) => secret.host === host));
  return (
    <div className="max-w-3xl">
      <p className="mb-4 text-muted">
        The platform signs its calls of HTTP tools with a secret of the host, as in Standard Webhooks, so that
        the host knows who is calling.
      </p>
      <Section title="Hosts">
        {data === undefined ? (
          error === null ? (
            <Skeleton lines={3} />
          ) : (
            <Failure error={error} onRetry={() => void refetch()} />
          )
        ) : data.toolSecrets.length === 0 ? (
          <Empty title="No host has a secret yet">
            Set one below; calls to hosts without a secret are not signed.
          </Empty>
        ) : (
          <ul className="rounded-card border border-line bg-panel">
            {data.toolSecrets.map((secret) => (
              <Host key={secret.host} path={path} secret={secret} />
            ))}
          </ul>
        )}
        {without.length > 0 && (
          <p className="mt-2 text-small text-muted">
            Without a secret: {without.map(({ host }) => host).join(", ")}
          </p>
        )}
      </Section>
      <SetSecret path={path} />
    </div>
  );
}

function Host({ path, secret: { host, lastFour, updatedAt } }: { path: string; secret: ToolSecret }) {
  const remove = async () => {
    await muster.request("DELETE", `${path}/${encodeURIComponent(host)}`);
    await refresh(path, "/api/admin/audit");
  };
  return (
    <li className="flex flex-wrap items-center gap-3 border-b border-line px-3 py-2 text-table last:border-b-0">
      <span className="min-w-0 flex-1 font-medium break-all">{host}</span>
      <span className="font-mono text-small text-muted">…{lastFour}</span>
      <span className="text-muted">
        set <When at={updatedAt} />
      </span>
      <Confirm label="Delete" title={`Delete the secret of ${host}?`} name={host} onConfirm={remove}>
        The platform stops signing its calls to this host.
      </Confirm>
    </li>
  );
}

function SetSecret({ path }: { path: string }) {
  const [made, setMade] = useState<SetToolSecret>();
  const save = async (values: FormData) => {
    const host = textIn(values, "host") ?? "-";
    const reply = await muster.request<SetToolSecret>("PUT", `${path}/${encodeURIComponent(host)}`, {
      body: { secret: textIn(values, "secret") },
    });
    await refresh(path, "/api/admin/audit");
    return reply;
  };
  return (
    <Section title="Set the secret of a host">
      <Card className="grid gap-4">
        {made?.secret !== undefined && <Secret text={made.secret} name={`the secret of ${made.host}`} />}
        <Form label="Set the secret" key={made?.updatedAt} save={save} onSaved={setMade}>
          {(at) => (
            <>
              <TextField
                label="Host"
                hint="As in a URL, with the port unless it is 443."
                placeholder="api.example.com"
                autoComplete="off"
                {...at("host")}
              />
              <TextField
                label="Secret"
                type="password"
                autoComplete="off"
                hint="whsec_ and 24 to 64 bytes in base64. Empty: the server makes one, and shows it once."
                {...at("secret")}
              />
            </>
          )}
        </Form>
      </Card>
    </Section>
  );
}
