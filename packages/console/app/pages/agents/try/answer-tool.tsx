import type { RequestedToolCall } from "@muster/client";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { Json } from "../../../parts/json.tsx";
import { jsonOrText } from "./input-values.ts";

interface Props {
  call: RequestedToolCall;
  onAnswer: (outcome: { result: unknown } | { error: string }) => void;
}

/** A call of a tool that the author answers instead of a program. */
export function AnswerTool({ call: { toolName, args }, onAnswer }: Props) {
  const [text, setText] = useState("");
  return (
    <form
      aria-label={`Answer ${toolName}`}
      className="grid gap-3 rounded-card border border-accent bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ result: jsonOrText(text) });
      }}
    >
      <p className="text-table">
        The agent calls <code className="font-mono text-small">{toolName}</code>. Answer as the tool would.
      </p>
      <Json value={args} label="the arguments" />
      <Field label={`Result of ${toolName}`} hint="JSON, or a text.">
        {(controls) => (
          <textarea
            {...controls}
            // The turn waits for it.
            // biome-ignore lint/a11y/noAutofocus: nothing else can continue the conversation
            autoFocus
            rows={3}
            className={`${controls.className} font-mono`}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button look="danger" onClick={() => onAnswer({ error: text === "" ? "The tool failed." : text })}>
          Fail the call
        </Button>
        <Button type="submit" look="primary">
          Send the result
        </Button>
      </div>
    </form>
  );
}
