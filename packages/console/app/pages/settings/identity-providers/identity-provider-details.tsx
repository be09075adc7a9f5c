import type { IdentityProvider, IdentityProviderList } from "@muster/client";
import { route } from "../../../api.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { Command, Id } from "../../../parts/copy.tsx";
import { Edited } from "../../../parts/edited.tsx";
import { Form } from "../../../parts/form.tsx";
import { ItemPanel } from "../../../parts/item-panel.tsx";
import { Facts } from "../../../parts/page.tsx";
import { storedItem } from "../../../parts/stored-item.ts";
import { When } from "../../../parts/when.tsx";
import { identityProviderFields, identityProviderIn } from "./identity-provider-fields.tsx";

const address = "/api/admin/identity-providers";

export function IdentityProviderDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const { save, remove } = storedItem<IdentityProvider>(
    address,
    route`/api/admin/identity-providers/${id}`,
    onClose,
  );
  return (
    <ItemPanel<IdentityProviderList, IdentityProvider>
      path={address}
      find={({ identityProviders }) => identityProviders.find((provider) => provider.id === id)}
      kind="identity provider"
      titleOf={({ name }) => name}
      onClose={onClose}
    >
      {(provider) => (
        <>
          <Facts
            rows={[
              ["Id", <Id key="id" id={provider.id} />],
              [
                "Issuer",
                <span key="issuer" className="break-all">
                  {provider.issuer}
                </span>,
              ],
              ["Created", <When key="created" at={provider.createdAt} />],
              ...(provider.managed ? [["Managed by", "muster apply, which undoes changes"] as const] : []),
            ]}
          />
          <div className="grid gap-1 text-table">
            <p className="text-muted">The audience (aud) that its tokens must have:</p>
            <Command text={provider.audience} />
          </div>
          <Edited item={provider}>
            {(edited, saved) => (
              <Form
                label="Save"
                look="plain"
                save={(values) => save(edited, identityProviderIn(values))}
                onSaved={saved}
                beside={
                  <Confirm
                    label="Delete"
                    title={`Delete ${provider.name}?`}
                    name={provider.name}
                    onConfirm={remove}
                  >
                    Its tokens stop working everywhere, and their open streams end.
                  </Confirm>
                }
              >
                {(at) => identityProviderFields(at, edited)}
              </Form>
            )}
          </Edited>
        </>
      )}
    </ItemPanel>
  );
}
