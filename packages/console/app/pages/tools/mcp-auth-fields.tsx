import type { McpAuth, ShownMcpAuth } from "@muster/client";
import { useState } from "react";
import { Field, TextField } from "../../parts/field.tsx";
import { textIn } from "../../parts/form.tsx";

type AuthType = McpAuth["type"];
type Name = Exclude<keyof McpAuth, "type">;

interface AuthField {
  label: string;
  isSecret?: true;
  isLong?: true;
}

const fields: Readonly<Record<Name, AuthField>> = {
  token: { label: "Token", isSecret: true },
  name: { label: "Name of the header" },
  value: { label: "Value of the header", isSecret: true },
  clientId: { label: "Client id" },
  clientSecret: { label: "Client secret", isSecret: true },
  privateKey: { label: "Private key (PEM, PKCS 8)", isLong: true },
  algorithm: { label: "Signature algorithm (default: the usual one for the key)" },
  issuer: { label: "Authorization server (default: the one that the MCP server names)" },
  scope: { label: "Scopes, joined by spaces" },
};

const types: Readonly<Record<AuthType, { label: string; names: readonly Name[] }>> = {
  none: { label: "None", names: [] },
  bearer: { label: "Bearer token", names: ["token"] },
  header: { label: "Header", names: ["name", "value"] },
  "client-credentials": {
    ...{ label: "OAuth, client credentials" },
    names: ["clientId", "clientSecret", "issuer", "scope"],
  },
  "private-key-jwt": {
    ...{ label: "OAuth, private key" },
    names: ["clientId", "privateKey", "algorithm", "issuer", "scope"],
  },
};

const typeNames = Object.keys(types) as AuthType[];

interface Props {
  error: Error | null;
  /** The credentials of a registered server, which stay unless others are chosen. */
  stored?: ShownMcpAuth;
}

/** How the platform logs in to the server, with the fields of that way. */
export function McpAuthFields({ error, stored }: Props) {
  const [type, setType] = useState<AuthType | undefined>(stored === undefined ? "none" : undefined);
  return (
    <>
      <Field label="Authentication" error={error} path="auth.type">
        {(controls) => (
          <select
            {...controls}
            name="auth.type"
            value={type ?? ""}
            onChange={({ target }) => setType(typeNames.find((name) => name === target.value))}
          >
            {stored !== undefined && <option value="">Unchanged: {types[stored.type].label}</option>}
            {typeNames.map((name) => (
              <option key={name} value={name}>
                {types[name].label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {type !== undefined &&
        types[type].names.map((name) => {
          const { label, isSecret, isLong } = fields[name];
          const path = `auth.${name}`;
          const shared = { label, path, error };
          if (isLong)
            return (
              <Field key={name} {...shared}>
                {(controls) => <textarea {...controls} name={path} rows={4} />}
              </Field>
            );
          return (
            <TextField
              key={name}
              {...shared}
              name={path}
              type={isSecret ? "password" : "text"}
              autoComplete="off"
            />
          );
        })}
    </>
  );
}

/** The values of the fields; undefined for unchanged credentials. */
export function authIn(values: FormData): Record<string, string | undefined> | undefined {
  const type = typeNames.find((name) => name === values.get("auth.type"));
  if (type === undefined) return undefined;
  return {
    type,
    ...Object.fromEntries(types[type].names.map((name) => [name, textIn(values, `auth.${name}`)])),
  };
}
