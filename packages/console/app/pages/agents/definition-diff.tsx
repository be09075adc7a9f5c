import { LazyEditor } from "../../parts/lazy-editor.tsx";
import { type Definition, filesOf } from "./definition/definition-files.ts";

interface Props {
  before: Definition;
  after: Definition;
  beforeLabel: string;
  afterLabel: string;
}

/** The files that differ between two definitions, each with its changes. */
export function DefinitionDiff({ before, after, beforeLabel, afterLabel }: Props) {
  const olds = new Map(filesOf(before).map((file) => [file.name, file]));
  const news = new Map(filesOf(after).map((file) => [file.name, file]));
  const names = [...new Set([...olds.keys(), ...news.keys()])];
  const changed = names.filter((name) => olds.get(name)?.text !== news.get(name)?.text);
  if (changed.length === 0) return <p className="text-table text-muted">Both are the same.</p>;
  return (
    <div className="grid gap-4">
      <p className="text-small text-muted">
        Lines of {beforeLabel} that {afterLabel} lacks are red; lines that it adds are green.
      </p>
      {changed.map((name) => {
        const [old, now] = [olds.get(name), news.get(name)];
        const file = now ?? old;
        if (file === undefined) return null;
        const state = old === undefined ? "added" : now === undefined ? "removed" : "changed";
        return (
          <section
            key={name}
            aria-label={name}
            className="overflow-hidden rounded-card border border-line bg-panel"
          >
            <h2 className="flex gap-2 border-b border-line px-3 py-1.5 text-small">
              <code className="flex-1 font-mono">{name}</code>
              <span className="text-muted">{state}</span>
            </h2>
            <div className="max-h-[60vh] overflow-auto">
              <LazyEditor
                label={`Changes of ${name}`}
                language={file.language === "none" ? "json" : file.language}
                value={now?.text ?? ""}
                original={old?.text ?? ""}
              />
            </div>
          </section>
        );
      })}
    </div>
  );
}
