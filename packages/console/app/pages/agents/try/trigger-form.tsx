import type { FileReference } from "@muster/client";
import type { InteractiveProgram } from "@muster/language";
import { type ReactNode, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { InputForm } from "../../../parts/input-form.tsx";
import { inputOf, type Message, type Texts, uploading } from "../../../parts/input-values.ts";

interface Props {
  program: InteractiveProgram;
  /** The form begins with it. */
  first?: Message | undefined;
  isBusy: boolean;
  error?: Error | undefined;
  /** Resolves with whether it has been sent; otherwise the text stays. */
  onSend: (message: Message) => Promise<boolean>;
  upload?: (file: File) => Promise<FileReference | undefined>;
  /** Beside the button. */
  children?: ReactNode;
}

/** The inputs of a trigger, as a form. */
export function TriggerForm({ program, first, isBusy, error, onSend, upload, children }: Props) {
  const names = Object.keys(program.triggers);
  const usual = names.includes("user-message") ? "user-message" : (names[0] ?? "");
  const [trigger, setTrigger] = useState(first?.trigger ?? usual);
  const [texts, setTexts] = useState<Texts>(first?.texts ?? {});
  // Inputs of files forget them only as new elements.
  const [round, setRound] = useState(0);
  const specs = program.triggers[trigger]?.input ?? {};
  const send = async () => {
    if (isBusy) return;
    const isSent = await onSend({ trigger, input: inputOf(specs, texts), texts });
    if (!isSent) return;
    setTexts({});
    setRound(round + 1);
  };
  return (
    <form
      aria-label="Message"
      className="grid gap-3 rounded-card border border-line bg-panel p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {names.length > 1 && (
        <Field label="Trigger" hint={program.triggers[trigger]?.description}>
          {(controls) => (
            <select {...controls} value={trigger} onChange={({ target }) => setTrigger(target.value)}>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      <InputForm
        key={`${trigger} ${round}`}
        specs={specs}
        texts={texts}
        onChange={setTexts}
        error={error}
        path="input"
        upload={upload}
        onEnter={() => void send()}
      />
      <div className="flex items-center justify-end gap-2">
        {children}
        <Button type="submit" look="primary" disabled={isBusy || Object.values(texts).includes(uploading)}>
          Send
        </Button>
      </div>
    </form>
  );
}
