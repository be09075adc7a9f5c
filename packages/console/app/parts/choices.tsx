import { useId } from "react";
import { issuesAt } from "./field.tsx";

interface Choice {
  value: string;
  /** Its meaning. */
  hint?: string;
}

interface Props {
  label: string;
  name: string;
  path: string;
  error: Error | null;
  choices: readonly Choice[];
  chosen?: readonly string[];
}

/** Any number of a few words. */
export function Choices({ label, name, path, error, choices, chosen = [] }: Props) {
  const id = useId();
  const issues = issuesAt(error, path);
  return (
    <fieldset aria-describedby={`${id}-notes`} className="grid gap-1.5 max-md:gap-2.5">
      <legend className="mb-2 text-table font-medium">{label}</legend>
      {choices.map(({ value, hint }) => (
        <label key={value} className="flex items-start gap-2 text-table max-md:min-h-6">
          <input
            type="checkbox"
            name={name}
            value={value}
            defaultChecked={chosen.includes(value)}
            aria-invalid={issues.length > 0}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span>
            {value}
            {hint !== undefined && <span className="text-muted"> – {hint}</span>}
          </span>
        </label>
      ))}
      <div id={`${id}-notes`} className="text-small text-bad empty:hidden">
        {issues.map(({ message }) => (
          <p key={message}>{message}</p>
        ))}
      </div>
    </fieldset>
  );
}
