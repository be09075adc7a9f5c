import type { FileReference, FileToUpload } from "@muster/client";
import { useState } from "react";
import { Field } from "../../parts/field.tsx";
import type { TriggerInput } from "./agent-triggers.ts";

interface Props {
  input: TriggerInput;
  value: unknown;
  onChange: (value: unknown) => void;
  upload: (file: FileToUpload) => Promise<FileReference | undefined>;
}

/** A control for an input of a trigger, made from its type. */
export function TriggerField({ input, value, onChange, upload }: Props) {
  const { name, description, kind, choices, isRequired } = input;
  const [text, setText] = useState("");
  const hint = [description, isRequired ? undefined : "Optional."].filter(Boolean).join(" ");
  const addFiles = async (files: FileList | null) => {
    const uploaded = await Promise.all(Array.from(files ?? [], (file) => upload(file)));
    onChange(uploaded.filter((file) => file !== undefined));
  };
  return (
    <Field label={name} hint={hint}>
      {(controls) => {
        if (kind === "files")
          return (
            <input
              {...controls}
              type="file"
              multiple
              onChange={({ target }) => void addFiles(target.files)}
            />
          );
        if (kind === "choice" || kind === "flag")
          return (
            <select
              {...controls}
              value={String(value ?? "")}
              onChange={({ target }) => onChange(kind === "flag" ? flagOf(target.value) : target.value)}
            >
              <option value="">–</option>
              {(kind === "flag" ? ["true", "false"] : choices).map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          );
        return (
          <input
            {...controls}
            type={kind === "number" ? "number" : "text"}
            step="any"
            value={kind === "json" ? text : String(value ?? "")}
            placeholder={kind === "json" ? "JSON" : ""}
            onChange={({ target }) => {
              setText(target.value);
              onChange(parsed(kind, target.value));
            }}
          />
        );
      }}
    </Field>
  );
}

function flagOf(text: string): boolean | undefined {
  return text === "" ? undefined : text === "true";
}

/** What is not JSON yet is no value yet. */
function parsed(kind: TriggerInput["kind"], text: string): unknown {
  if (kind === "text") return text;
  if (text.trim() === "") return undefined;
  if (kind === "number") return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
