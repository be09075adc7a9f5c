import { Field } from "./field.tsx";

interface Props {
  label: string;
  name?: string;
  path?: string;
  error?: Error | null;
  hint?: string;
  choices: ReadonlyArray<readonly [value: string, label: string]>;
  /** The first choice. The field keeps later ones itself, unless it has a `value`. */
  chosen?: string | undefined;
  value?: string | undefined;
  onChoose?: (value: string) => void;
}

/** One of a few values. */
export function SelectField({ name, choices, chosen, value, onChoose, ...field }: Props) {
  return (
    <Field {...field}>
      {(controls) => (
        <select
          {...controls}
          name={name}
          {...(value === undefined ? { defaultValue: chosen } : { value })}
          onChange={({ target }) => onChoose?.(target.value)}
        >
          {choices.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
