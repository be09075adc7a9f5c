import type { FileReference } from "@muster/client";
import type { VariableSpec } from "@muster/language";
import { useState } from "react";
import { Field } from "./field.tsx";
import { controlOf, type Specs, type Texts, uploading } from "./input-values.ts";

interface Props {
  specs: Specs;
  texts: Texts;
  /** An upload ends later than other fields change. */
  onChange: (change: (texts: Texts) => Texts) => void;
  error?: Error | null | undefined;
  /** Where the API's issues about these values begin. */
  path: string;
  /** Absent: files cannot be sent here. */
  upload?: ((file: File) => Promise<FileReference | undefined>) | undefined;
  /** Enter in a text sends it. */
  onEnter?: (() => void) | undefined;
}

/** A field for each input that a definition declares. */
export function InputForm({ specs, texts, onChange, error, path, upload, onEnter }: Props) {
  return Object.entries(specs).map(([name, spec]) => (
    <InputField
      key={name}
      {...{ name, spec, error, upload, onEnter }}
      path={`${path}.${name}`}
      value={texts[name]}
      onChange={(value) => onChange((now) => ({ ...now, [name]: value }))}
    />
  ));
}

interface FieldProps extends Pick<Props, "error" | "path" | "upload" | "onEnter"> {
  name: string;
  spec: VariableSpec;
  value: unknown;
  onChange: (value: unknown) => void;
}

function InputField({ name, spec, value, onChange, error, path, upload, onEnter }: FieldProps) {
  const control = controlOf(spec);
  const text = typeof value === "string" ? value : "";
  const isFree = spec.optional || spec.default !== undefined;
  const placeholder =
    spec.default === undefined ? undefined : String(JSON.stringify(spec.default)).replace(/^"|"$/g, "");
  return (
    <Field label={isFree ? `${name} (optional)` : name} hint={spec.description} error={error} path={path}>
      {(controls) => {
        if (control === "file" || control === "files")
          return <FileInput {...controls} isList={control === "files"} upload={upload} onChange={onChange} />;
        if (control === "choice" || control === "boolean") {
          const values = control === "boolean" ? [true, false] : (spec.enum ?? []);
          return (
            <select {...controls} value={text} onChange={({ target }) => onChange(target.value)}>
              <option value="">{placeholder === undefined ? "–" : `– (${placeholder})`}</option>
              {values.map((each) => (
                <option key={String(each)}>{String(each)}</option>
              ))}
            </select>
          );
        }
        if (control === "number")
          return (
            <input
              {...controls}
              inputMode="decimal"
              placeholder={placeholder}
              value={text}
              onChange={({ target }) => onChange(target.value)}
            />
          );
        return (
          <textarea
            {...controls}
            rows={control === "json" ? 3 : 1}
            className={`${controls.className} field-sizing-content max-h-60 resize-none`}
            placeholder={control === "json" ? (placeholder ?? "JSON") : placeholder}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            onKeyDown={(event) => {
              if (
                control !== "text" ||
                event.key !== "Enter" ||
                event.shiftKey ||
                event.nativeEvent.isComposing
              )
                return;
              event.preventDefault();
              onEnter?.();
            }}
          />
        );
      }}
    </Field>
  );
}

interface FileProps {
  id: string;
  className: string;
  isList: boolean;
  upload: Props["upload"];
  onChange: (value: unknown) => void;
}

function FileInput({ isList, upload, onChange, ...controls }: FileProps) {
  const [note, setNote] = useState("");
  if (upload === undefined)
    return <p className="text-table text-muted">Files can be sent once the session is open.</p>;
  const send = async (files: readonly File[]) => {
    setNote("Uploading …");
    onChange(uploading);
    const sent = (await Promise.all(files.map(upload))).filter((file) => file !== undefined);
    setNote(sent.length < files.length ? "A file could not be uploaded." : "");
    onChange(isList ? sent : sent[0]);
  };
  return (
    <>
      <input
        {...controls}
        type="file"
        multiple={isList}
        onChange={({ target }) => void send([...(target.files ?? [])])}
      />
      {note !== "" && <p className="text-small text-muted">{note}</p>}
    </>
  );
}
