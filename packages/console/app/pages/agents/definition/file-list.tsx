import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { inputShape } from "../../../parts/field.tsx";
import type { Definition, DefinitionFile, Located } from "./definition-files.ts";

interface Props {
  files: readonly DefinitionFile[];
  issues: readonly Located[];
  chosen: string;
  onOpen: (name: string) => void;
  text: Definition;
  onChange: ((text: Definition) => void) | undefined;
}

/** The files of a definition, with the number of problems in each. */
export function FileList({ files, issues, chosen, onOpen, text, onChange }: Props) {
  const isRemovable = (path: string) => /^(?:prompts|references)\./.test(path);
  const chosenFile = files.find(({ name }) => name === chosen);
  const remove = ({ path }: DefinitionFile) => {
    onChange?.({
      ...text,
      prompts: text.prompts.filter((_, index) => path !== `prompts.${index}`),
      references: text.references.filter((_, index) => path !== `references.${index}`),
    });
  };
  return (
    <div className="flex min-h-0 flex-col overflow-auto p-2 text-table max-md:max-h-60">
      <ul aria-label="Files" className="grid gap-0.5">
        {files.map(({ name }) => (
          <li key={name}>
            <button
              type="button"
              aria-current={name === chosen}
              onClick={() => onOpen(name)}
              className="flex w-full items-center gap-2 rounded-chip px-2 py-1 text-left font-mono text-small text-muted hover:text-text aria-[current=true]:bg-raised aria-[current=true]:text-text"
            >
              <span className="min-w-0 flex-1 break-words">{inFolders(name)}</span>
              <Count issues={issues.filter(({ file }) => file === name)} />
            </button>
          </li>
        ))}
      </ul>
      {onChange !== undefined && (
        <div className="mt-2 grid gap-1 border-t border-line pt-2">
          <AddFile kind="prompts" text={text} onChange={onChange} onOpen={onOpen} />
          <AddFile kind="references" text={text} onChange={onChange} onOpen={onOpen} />
          {chosenFile !== undefined && isRemovable(chosenFile.path) && (
            <Button look="quiet" className="justify-start px-2 text-bad" onClick={() => remove(chosenFile)}>
              Remove {chosenFile.name.replace(/^.*\//, "")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Long names break after their folder. */
function inFolders(name: string): ReactNode[] {
  return name.split(/(?<=\/)/).flatMap((part) => [part, <wbr key={part} />]);
}

function Count({ issues }: { issues: readonly Located[] }) {
  const errors = issues.filter(({ severity }) => severity === "error").length;
  const count = errors || issues.filter(({ severity }) => severity === "warning").length;
  if (count === 0) return null;
  const kind = errors > 0 ? "error" : "warning";
  return (
    <span className={errors > 0 ? "text-bad" : "text-warn"}>
      {count}
      <span className="sr-only">{` ${kind}${count === 1 ? "" : "s"}`}</span>
    </span>
  );
}

interface AddProps extends Pick<Props, "text" | "onOpen"> {
  kind: "prompts" | "references";
  onChange: (text: Definition) => void;
}

function AddFile({ kind, text, onChange, onOpen }: AddProps) {
  const [name, setName] = useState<string>();
  const word = kind === "prompts" ? "prompt" : "reference";
  if (name === undefined)
    return (
      <Button
        look="quiet"
        className="justify-start px-2"
        icon={<Plus size={14} aria-hidden="true" />}
        onClick={() => setName("")}
      >
        Add a {word}
      </Button>
    );
  const add = () => {
    const prompts = kind === "prompts" ? [...text.prompts, { name, content: "" }] : text.prompts;
    const reference = { name, description: "", content: "" };
    const references = kind === "references" ? [...text.references, reference] : text.references;
    setName(undefined);
    onChange({ ...text, prompts, references });
    onOpen(`${kind}/${name}.md`);
  };
  return (
    <form
      className="flex gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        // Its button has just been pressed.
        // biome-ignore lint/a11y/noAutofocus: the focus would be lost otherwise
        autoFocus
        required
        aria-label={`Name of the ${word}`}
        placeholder="lowercase-with-dashes"
        className={`${inputShape} px-2 py-1 font-mono`}
        value={name}
        onChange={({ target }) => setName(target.value)}
        onKeyDown={({ key }) => key === "Escape" && setName(undefined)}
      />
      <Button type="submit" className="px-2">
        Add
      </Button>
    </form>
  );
}
