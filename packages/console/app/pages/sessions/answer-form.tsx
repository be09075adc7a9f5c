import type { RequestedToolCall } from "@muster/client";
import { type FormEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { Json } from "../../parts/json.tsx";

interface Props {
  call: RequestedToolCall;
  /** The latest result of the tool. */
  example: unknown;
  onAnswer: (outcome: { result: unknown } | { error: string }) => void;
}

/** Answers a call in the place of the program that executes the tool. Definitions declare no type for results. */
export function AnswerForm({ call: { toolName, args }, example, onAnswer }: Props) {
  const [text, setText] = useState(example === undefined ? "" : JSON.stringify(example, null, 2));
  const value = read(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAnswer({ result: value.result });
  };
  return (
    <form
      aria-label={`Answer ${toolName}`}
      onSubmit={submit}
      className="grid grid-cols-1 gap-3 rounded-card border border-warn/60 bg-panel p-4"
    >
      <p>
        <span className="font-medium">{toolName}</span>{" "}
        <span className="text-table text-muted">waits for its result from the caller of the turn</span>
      </p>
      <Json value={args} label="the arguments" />
      <Field
        label={`Result of ${toolName}`}
        hint={
          text.trim() === ""
            ? 'JSON such as {"status": "shipped"}, or a text.'
            : value.isJson
              ? "Sent as JSON."
              : "Not JSON, so it is sent as a text."
        }
      >
        {(controls) => (
          <textarea
            {...controls}
            rows={Math.min(10, Math.max(3, text.split("\n").length))}
            value={text}
            onChange={({ target }) => setText(target.value)}
            className={`${controls.className} font-mono`}
          />
        )}
      </Field>
      <div className="flex gap-2">
        <Button type="submit" look="primary">
          Send the result
        </Button>
        <Button
          look="danger"
          disabled={text.trim() === ""}
          title="The model reads the text as the failure of the tool"
          onClick={() => onAnswer({ error: text.trim() })}
        >
          Send as a failure
        </Button>
      </div>
    </form>
  );
}

function read(text: string): { result: unknown; isJson: boolean } {
  if (text.trim() === "") return { result: null, isJson: true };
  try {
    return { result: JSON.parse(text), isJson: true };
  } catch {
    return { result: text, isJson: false };
  }
}
