import type { Agent, FileReference, FileToUpload } from "@muster/client";
import { useQuery } from "@tanstack/react-query";
import { Send, Square } from "lucide-react";
import { type KeyboardEvent, type SubmitEvent, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { inputShape } from "../../parts/field.tsx";
import { InputForm } from "../../parts/input-form.tsx";
import { controlOf, inputOf, isComplete, type Specs, type Texts } from "../../parts/input-values.ts";
import { compile } from "../agents/definition/compiler.ts";

export interface ComposerProps {
  agent: Agent;
  isBusy: boolean;
  onSend: (trigger: string, input: Record<string, unknown>) => Promise<boolean>;
  onStop: () => void;
  upload: (file: FileToUpload) => Promise<FileReference | undefined>;
}

/** Continues the session, with a message or another trigger of the agent. */
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

interface Trigger {
  name: string;
  specs: Specs;
}

/** The triggers of an agent with their inputs. */
async function agentTriggers({ settings, protocol, prompts, references }: Agent): Promise<Trigger[]> {
  const { program } = await compile({ settings, protocol, prompts, references });
  if (program?.format !== "interactive") return [];
  return Object.entries(program.triggers).map(([name, { input: specs }]) => ({ name, specs }));
}

function TriggerForm({
  trigger: { name, specs },
  isBusy,
  onSend,
  onStop,
  upload,
}: ComposerProps & { trigger: Trigger }) {
  const [texts, setTexts] = useState<Texts>({});
  // Inputs of files forget them only as new elements.
  const [round, setRound] = useState(0);
  const message = Object.keys(specs).find((input) => isMessage(specs[input]));
  const others = Object.fromEntries(Object.entries(specs).filter(([input]) => input !== message));
  const mayBeSent = isComplete(specs, texts);
  const send = async () => {
    if (!mayBeSent || isBusy) return;
    // A message that could not begin a turn stays the user's.
    if (!(await onSend(name, inputOf(specs, texts)))) return;
    setTexts((now) => (now === texts ? {} : now));
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
      <InputForm key={round} specs={others} texts={texts} onChange={setTexts} path="input" upload={upload} />
      <div className="flex items-end gap-2">
        {message !== undefined && (
          <textarea
            aria-label="Message"
            placeholder="Say something …"
            rows={2}
            value={String(texts[message] ?? "")}
            onChange={({ target }) => setTexts((now) => ({ ...now, [message]: target.value }))}
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
            disabled={!mayBeSent}
            icon={<Send size={14} aria-hidden="true" />}
          >
            {message === undefined ? `Trigger ${name}` : "Send"}
          </Button>
        )}
      </div>
    </form>
  );
}

/** A required text: the field that the form is about. */
function isMessage(spec: Specs[string] | undefined): boolean {
  return spec !== undefined && controlOf(spec) === "text" && !spec.optional && spec.default === undefined;
}
