import type { Agent, FileReference, FileToUpload } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { Send, Square } from "lucide-react";
import { type KeyboardEvent, type SubmitEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { inputShape } from "../../parts/field.tsx";
import { type AgentTrigger, agentTriggers } from "./agent-triggers.ts";
import { TriggerField } from "./trigger-field.tsx";

export interface ComposerProps {
  agent: Agent;
  isBusy: boolean;
  onSend: (trigger: string, input: Record<string, unknown>) => Promise<boolean>;
  onStop: () => void;
  upload: (file: FileToUpload) => Promise<FileReference | undefined>;
}

/** Goes on with the session: a message, or whatever the agent's triggers take. */
export function Composer(props: ComposerProps) {
  const { agent } = props;
  const { data: triggers = [] } = useQuery({
    queryKey: ["triggers of", agent],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => agentTriggers(agent),
  });
  const [chosen, setChosen] = useState<string>();
  const trigger = triggers.find(({ name }) => name === chosen) ?? triggers[0];
  if (trigger === undefined) return null;
  return (
    <div className="grid grid-cols-1 gap-2">
      {triggers.length > 1 && (
        <select
          aria-label="Trigger"
          value={trigger.name}
          onChange={({ target }) => setChosen(target.value)}
          className="h-8 justify-self-start rounded-card border border-line bg-panel px-2 text-table"
        >
          {triggers.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
      <TriggerForm key={trigger.name} trigger={trigger} {...props} />
    </div>
  );
}

function TriggerForm({
  trigger: { name, inputs },
  isBusy,
  onSend,
  onStop,
  upload,
}: ComposerProps & { trigger: AgentTrigger }) {
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>({});
  // Fields of files and of JSON forget what they show only as new elements.
  const [round, setRound] = useState(0);
  const message = inputs.find(({ kind, isRequired }) => kind === "text" && isRequired);
  const others = inputs.filter((input) => input !== message);
  const isComplete = inputs.every(({ name, isRequired }) => !isRequired || isGiven(values[name]));
  const set = (input: string, value: unknown) => setValues((all) => ({ ...all, [input]: value }));
  const send = async () => {
    if (!isComplete || isBusy) return;
    const given = Object.entries(values).filter(([, value]) => isGiven(value));
    // A message that could not begin a turn stays the user's.
    if (!(await onSend(name, Object.fromEntries(given)))) return;
    setValues((now) => (now === values ? {} : now));
    setRound(round + 1);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form onSubmit={submit} className="grid grid-cols-1 gap-2">
      {others.map((input) => (
        <TriggerField
          key={`${input.name} ${round}`}
          input={input}
          value={values[input.name]}
          onChange={(value) => set(input.name, value)}
          upload={upload}
        />
      ))}
      <div className="flex items-end gap-2">
        {message !== undefined && (
          <textarea
            aria-label="Message"
            placeholder="Say something …"
            rows={2}
            value={String(values[message.name] ?? "")}
            onChange={({ target }) => set(message.name, target.value)}
            onKeyDown={press}
            className={`${inputShape} max-h-40 resize-none`}
          />
        )}
        {isBusy ? (
          <Button onClick={onStop} icon={<Square size={14} aria-hidden="true" />}>
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            look="primary"
            disabled={!isComplete}
            icon={<Send size={14} aria-hidden="true" />}
          >
            {message === undefined ? `Trigger ${name}` : "Send"}
          </Button>
        )}
      </div>
    </form>
  );
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}
