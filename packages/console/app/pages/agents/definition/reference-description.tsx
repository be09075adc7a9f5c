import { TextField } from "../../../parts/field.tsx";
import type { Definition, Located } from "./definition-files.ts";

interface Props {
  text: Definition;
  path: string;
  issues: readonly Located[];
  onChange: ((text: Definition) => void) | undefined;
}

/** The text by which the model chooses a reference. Other files have none. */
export function ReferenceDescription({ text, path, issues, onChange }: Props) {
  const index = text.references.findIndex((_, at) => path === `references.${at}`);
  const reference = text.references[index];
  if (reference === undefined) return null;
  const change = (description: string) => {
    const references = text.references.map((each, at) => (at === index ? { ...each, description } : each));
    onChange?.({ ...text, references });
  };
  const problem = issues.find((issue) => issue.path === `${path}.description`);
  return (
    <div className="border-b border-line p-3">
      <TextField
        label="Description"
        value={reference.description}
        readOnly={onChange === undefined}
        hint={problem?.message ?? "The model uses it to decide whether to read the reference."}
        onChange={({ target }) => change(target.value)}
      />
    </div>
  );
}
