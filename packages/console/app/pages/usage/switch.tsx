import { useId } from "react";

interface Props<Value extends string> {
  label: string;
  choices: Readonly<Record<Value, string>>;
  chosen: Value;
  onChoose: (value: Value) => void;
}

/** One of a few words, all in view. */
export function Switch<Value extends string>({ label, choices, chosen, onChoose }: Props<Value>) {
  const name = useId();
  const values = Object.keys(choices) as Value[];
  return (
    <fieldset className="flex rounded-card border border-line bg-panel p-0.5">
      <legend className="sr-only">{label}</legend>
      {values.map((value) => (
        <label
          key={value}
          className="cursor-pointer rounded-chip px-2.5 py-0.5 text-table text-muted has-checked:bg-ground has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:py-2"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          {choices[value]}
        </label>
      ))}
    </fieldset>
  );
}
