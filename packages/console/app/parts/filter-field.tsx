import { type ComponentProps, useEffect, useState } from "react";
import { inputShape } from "./field.tsx";

interface Props extends Pick<ComponentProps<"input">, "type" | "placeholder"> {
  label: string;
  value: string;
  onFilter: (value: string) => void;
}

/** A filter that the server applies: with Enter, or when the field is left. */
export function FilterField({ label, value, onFilter, ...rest }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const filter = () => text.trim() !== value && onFilter(text.trim());
  return (
    <label className="grid gap-1 text-small text-muted">
      {label}
      <input
        {...rest}
        className={`${inputShape} text-text`}
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={filter}
        onKeyDown={({ key }) => key === "Enter" && filter()}
      />
    </label>
  );
}
