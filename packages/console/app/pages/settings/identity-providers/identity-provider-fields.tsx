import type { IdentityProvider } from "@muster/client";
import { Choices } from "../../../parts/choices.tsx";
import { Field, TextField } from "../../../parts/field.tsx";
import { type At, numberIn, textIn } from "../../../parts/form.tsx";
import { conditionLines, conditionsIn } from "./conditions.ts";
import { ScopeFields, scopeIn } from "./scope-fields.tsx";

const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"],
].map((value) => ({ value }));

/** The fields of a new provider and of a registered one. */
export function identityProviderFields(at: At, provider?: IdentityProvider) {
  return (
    <>
      <TextField label="Name" defaultValue={provider?.name} autoComplete="off" {...at("name")} />
      <TextField
        label="Address of its keys"
        hint="An https URL (JWKS). Empty: found by discovery, at the issuer."
        defaultValue={provider?.jwksUri ?? ""}
        autoComplete="off"
        {...at("jwksUri")}
      />
      <Field
        label="Conditions"
        hint="All must be true, one per line: repository = acme/app, or sub starts with repo:acme/. Separate several values by | between spaces."
        {...at("conditions")}
      >
        {(controls) => (
          <textarea
            {...controls}
            name="conditions"
            rows={3}
            defaultValue={provider && conditionLines(provider.conditions)}
          />
        )}
      </Field>
      <ScopeFields {...at("scope")} scope={provider?.scope} />
      <details className="text-table">
        <summary className="text-muted">Signatures and lifetime</summary>
        <div className="mt-3 grid gap-4">
          <Choices
            label="Accepted signature algorithms"
            choices={algorithms}
            chosen={provider?.algorithms ?? ["RS256", "ES256"]}
            {...at("algorithms")}
          />
          <TextField
            label="Longest lifetime of a token in seconds"
            inputMode="numeric"
            defaultValue={provider?.maxLifetimeSeconds ?? 3_600}
            {...at("maxLifetimeSeconds")}
          />
        </div>
      </details>
    </>
  );
}

export function identityProviderIn(values: FormData): Record<string, unknown> {
  return {
    name: textIn(values, "name") ?? "",
    jwksUri: textIn(values, "jwksUri") ?? null,
    conditions: conditionsIn(textIn(values, "conditions") ?? ""),
    algorithms: values.getAll("algorithms"),
    maxLifetimeSeconds: numberIn(values, "maxLifetimeSeconds") ?? undefined,
    scope: scopeIn(values),
  };
}
