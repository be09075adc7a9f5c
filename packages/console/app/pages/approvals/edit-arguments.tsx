import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Field, TextField } from "../../parts/field.tsx";
import { Section } from "../../parts/page.tsx";
import { ArgumentsDiff } from "./arguments-diff.tsx";
import { changesOf } from "./changes-of.ts";
import { type Draft, fieldsOf, isPlain, jsonOf, readDraft } from "./draft.ts";

interface Props {
  args: Readonly<Record<string, unknown>>;
  /** The refusal of the decision, shown at its argument. */
  error: Error | null;
  isSending: boolean;
  onSend: (args: Record<string, unknown>, message: string) => void;
  onClose: () => void;
}

/** Edits the arguments. The change is shown before it is sent. */
export function EditArguments({ args, error, isSending, onSend, onClose }: Props) {
  const [draft, setDraft] = useState<Draft>(() => fieldsOf(args));
  const [message, setMessage] = useState("");
  const read = readDraft(draft, args);
  const edited = "args" in read ? read.args : undefined;
  const isChanged = edited !== undefined && changesOf(args, edited).length > 0;
  const toggle = () => edited && setDraft(draft.as === "json" ? fieldsOf(edited) : jsonOf(edited));
  return (
    <form
      className="grid grid-cols-1 gap-4 *:mb-0"
      onKeyDown={({ key }) => key === "Escape" && onClose()}
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) onSend({ ...edited }, message);
      }}
    >
      <Section
        title="Edit the arguments"
        actions={
          <Button look="quiet" disabled={edited === undefined} onClick={toggle}>
            {draft.as === "json" ? "As fields" : "As JSON"}
          </Button>
        }
      >
        <div className="grid gap-3">
          <Editors draft={draft} args={args} error={error} onChange={setDraft} />
          {"problem" in read && (
            <p role="alert" className="text-table text-bad">
              {read.path.replace(/^args\./, "")} {read.problem}.
            </p>
          )}
        </div>
      </Section>
      <Section title="The change">
        <ArgumentsDiff before={args} after={edited ?? args} />
      </Section>
      <TextField
        label="Note"
        hint="For the record. Optional."
        error={error}
        path="message"
        maxLength={2_000}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={!isChanged || isSending}>
          Approve with this change
        </Button>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface EditorsProps extends Pick<Props, "args" | "error"> {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

function Editors({ draft, args, error, onChange }: EditorsProps) {
  if (draft.as === "json")
    return (
      <Field label="Arguments as JSON" error={error} path="args">
        {(controls) => (
          <textarea
            {...controls}
            className={`${controls.className} font-mono text-small`}
            rows={Math.min(draft.text.split("\n").length + 1, 20)}
            spellCheck={false}
            value={draft.text}
            onChange={({ target }) => onChange({ as: "json", text: target.value })}
          />
        )}
      </Field>
    );
  return Object.entries(draft.texts).map(([name, text], index) => {
    const change = (value: string) => onChange({ as: "fields", texts: { ...draft.texts, [name]: value } });
    const isLong = text.includes("\n") || text.length > 80;
    return (
      <Field key={name} label={name} error={error} path={`args.${name}`}>
        {({ className, ...controls }) => {
          const shared = {
            ...controls,
            className: isPlain(args[name]) ? className : `${className} font-mono`,
            value: text,
            // A key has opened the form to edit.
            autoFocus: index === 0,
          };
          return isLong ? (
            <textarea
              {...shared}
              rows={Math.min(text.split("\n").length + 1, 12)}
              onChange={({ target }) => change(target.value)}
            />
          ) : (
            <input {...shared} autoComplete="off" onChange={({ target }) => change(target.value)} />
          );
        }}
      </Field>
    );
  });
}
