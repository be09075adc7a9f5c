import type { IdentityProvider } from "@muster/client";
import { muster, refresh } from "../../../api.ts";
import { TextField } from "../../../parts/field.tsx";
import { Form, textIn } from "../../../parts/form.tsx";
import { Panel } from "../../../parts/split.tsx";
import { identityProviderFields, identityProviderIn } from "./identity-provider-fields.tsx";

interface Props {
  onClose: () => void;
  onCreated: (provider: IdentityProvider) => void;
}

export function CreateIdentityProvider({ onClose, onCreated }: Props) {
  const save = async (values: FormData) => {
    const provider = await muster.request<IdentityProvider>("POST", "/api/admin/identity-providers", {
      body: { issuer: textIn(values, "issuer") ?? "", ...identityProviderIn(values) },
    });
    await refresh("/api/admin/identity-providers", "/api/admin/audit");
    return provider;
  };
  return (
    <Panel title="New identity provider" onClose={onClose}>
      <Form label="Register the provider" save={save} onSaved={onCreated}>
        {(at) => (
          <>
            <TextField
              label="Issuer"
              hint="The exact iss of its tokens. It never changes."
              placeholder="https://login.example.com"
              autoComplete="off"
              {...at("issuer")}
            />
            {identityProviderFields(at)}
          </>
        )}
      </Form>
    </Panel>
  );
}
