import { useState } from "react";
import { TextField } from "../../../parts/field.tsx";
import type { At } from "../../../parts/form.tsx";
import { SelectField } from "../../../parts/select-field.tsx";

const types = [
  ["standard-webhooks", "Standard Webhooks"],
  ["github", "GitHub"],
  ["slack", "Slack"],
  ["bearer", "Bearer token"],
] as const;

/** How senders sign, and their secret. A new one is made up here; Slack has its own. */
export function secretFields(at: At, type?: string) {
  return <SecretFields type={at("verify.type")} secret={at("verify.secret")} initial={type} />;
}

interface Props {
  type: ReturnType<At>;
  secret: ReturnType<At>;
  initial: string | undefined;
}

function SecretFields({ type, secret, initial = "standard-webhooks" }: Props) {
  const [chosen, setChosen] = useState(initial);
  const [text, setText] = useState(() => newSecret(initial));
  const choose = (value: string) => {
    setChosen(value);
    setText(newSecret(value));
  };
  return (
    <>
      <SelectField
        label="Deliveries are signed as"
        choices={types}
        chosen={chosen}
        onChoose={choose}
        {...type}
      />
      <TextField
        label="Secret"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        hint={
          chosen === "slack"
            ? "The signing secret of your Slack app."
            : "Give it to the sender. The server never shows it again."
        }
        {...secret}
      />
    </>
  );
}

function newSecret(type: string): string {
  if (type === "slack") return "";
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes));
  return type === "standard-webhooks" ? `whsec_${base64}` : base64.replace(/[+/=]/g, "");
}
