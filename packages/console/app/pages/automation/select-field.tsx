import { Field } from "../../parts/field.tsx";

interface Props {
  label: string;
  name: string;
  path: string;
  error: Error | null;
  hint?: string;
  choices: ReadonlyArray<readonly [value: string, label: string]>;
  chosen?: string | undefined;
  onChoose?: (value: string) => void;
}

/** One of a few values. */
export function SelectField({ name, choices, chosen, onChoose, ...field }: Props) {
  return (
    <Field {...field}>
      {(controls) => (
        <select
          {...controls}
          name={name}
          defaultValue={chosen}
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
