import type { IdentityProvider, IdentityProviderList } from "@muster/client";
import { Plus } from "lucide-react";
import { useFilters } from "../../../frame/use-filters.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { List } from "../../../parts/list.tsx";
import { Split } from "../../../parts/split.tsx";
import { When } from "../../../parts/when.tsx";
import { CreateIdentityProvider } from "./create-identity-provider.tsx";
import { IdentityProviderDetails } from "./identity-provider-details.tsx";

export function IdentityProviders() {
  const [{ provider }, setFilters] = useFilters("provider");
  const close = () => setFilters({ provider: undefined });
  return (
    <Split
      details={
        provider === "new" ? (
          <CreateIdentityProvider onClose={close} onCreated={({ id }) => setFilters({ provider: id })} />
        ) : (
          provider !== undefined && <IdentityProviderDetails key={provider} id={provider} onClose={close} />
        )
      }
    >
      <div className="flex items-center gap-3">
        <p className="flex-1 text-muted">
          OpenID Connect issuers whose signed tokens are accepted instead of Muster’s own.
        </p>
        <Button
          look="primary"
          icon={<Plus size={14} aria-hidden="true" />}
          onClick={() => setFilters({ provider: "new" })}
        >
          New provider
        </Button>
      </div>
      <List<IdentityProviderList, IdentityProvider>
        label="Identity providers"
        path="/api/admin/identity-providers"
        rowsOf={({ identityProviders }) => identityProviders}
        keyOf={({ id }) => id}
        linkOf={({ id }) => ({ to: "/settings/identity-providers", search: { provider: id } })}
        columns={[
          { title: "Provider", cell: ({ name }) => name },
          { title: "Issuer", width: "minmax(0, 2fr)", cell: ({ issuer }) => issuer },
          {
            ...{ title: "Conditions", width: "6.5rem", isNumber: true },
            cell: ({ conditions }) => conditions.length,
          },
          {
            title: "Changed",
            width: "7rem",
            isNumber: true,
            cell: ({ updatedAt }) => <When at={updatedAt} />,
          },
        ]}
        second={({ issuer }) => issuer}
        empty={
          <Empty title="No identity provider is registered" reference="Administration">
            Register the issuer of the tokens of your users or your CI, and they can talk to an agent without
            a key of Muster.
          </Empty>
        }
      />
    </Split>
  );
}
