import { MusterError } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef, useState } from "react";
import { muster, refresh, route } from "../../../api.ts";
import { useCredential } from "../../../frame/credential.ts";
import { Skeleton } from "../../../parts/empty.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { useAgent } from "../agent.tsx";
import { DefinitionActions } from "./definition-actions.tsx";
import {
  changesOf,
  type Definition,
  filesOf,
  type Located,
  locate,
  offsetOf,
  settingsFile,
  withText,
  wrongRange,
} from "./definition-files.ts";
import { FileEditor } from "./file-editor.tsx";
import { FileList } from "./file-list.tsx";
import { IssueList } from "./issue-list.tsx";
import { Newer } from "./newer.tsx";
import { ReferenceDescription } from "./reference-description.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { useIssues } from "./use-compiled.ts";
import { useDraft } from "./use-draft.ts";
import { useSaveKey } from "./use-save-key.ts";

// The editor arrives together with the definition.
void import("../../../parts/editor.tsx");

export function DefinitionTab() {
  const agent = useAgent();
  const draft = useDraft(agent);
  if (draft.current === undefined)
    return draft.error ? (
      <Failure error={draft.error} onRetry={() => void refresh(route`/api/agents/${agent.id}`)} />
    ) : (
      <Skeleton lines={1} size="h-96" />
    );
  return <Editing agentId={agent.id} draft={draft} text={draft.current.text} stored={draft.current.stored} />;
}

interface Props {
  agentId: string;
  draft: ReturnType<typeof useDraft>;
  text: Definition;
  stored: Definition;
}

function Editing({ agentId, draft, text, stored }: Props) {
  const mayChange = useCredential().permissions.includes("agents");
  const [jump, setJump] = useState<{ offset: number }>();
  const [showsChanges, setShowsChanges] = useState(false);
  const { files, file, open } = useOpenFile(text);
  const checked = useIssues(text, mayChange);
  const issues = useMemo(() => checked.issues.map((issue) => locate(issue, files)), [checked.issues, files]);
  const opened = useOpened(file.name);
  const actions = useRef<HTMLParagraphElement>(null);
  const save = useMutation({
    mutationFn: (saved: Definition) =>
      muster.agents.update(agentId, changesOf(stored, saved), { version: draft.current?.version }),
    onSuccess: async (_, saved) => {
      draft.saved(saved);
      setShowsChanges(false);
      // Its button is gone.
      actions.current?.focus();
      await refresh("/api/agents");
    },
    // The other version shows above the text, which stays.
    onError: (error) => (isStale(error) ? refresh("/api/agents") : undefined),
  });
  const show = (name: string) => {
    setJump(undefined);
    open(name);
  };
  const goTo = (issue: Located) => {
    const { file: name, position } = issue;
    show(name);
    const target = files.find((each) => each.name === name);
    if (position !== undefined && target !== undefined) setJump({ offset: offsetOf(target.text, position) });
  };
  const fix = (issue: Located, suggestion: string) => {
    const target = files.find(({ name }) => name === issue.file);
    const range = target && wrongRange(target.text, issue);
    if (target === undefined || range === undefined) return;
    draft.change(
      withText(text, target, target.text.slice(0, range.from) + suggestion + target.text.slice(range.to)),
    );
  };
  // Whatever the server would refuse.
  const canSave = draft.newer === undefined && !issues.some(({ severity }) => severity === "error");
  useSaveKey(() => {
    if (draft.isChanged && canSave && mayChange && !save.isPending) save.mutate(text);
  });
  const before = new Map(filesOf(stored).map((each) => [each.name, each.text]));
  return (
    <div
      data-fills={draft.newer === undefined ? true : undefined}
      className="flex min-h-0 flex-1 flex-col gap-3"
    >
      {draft.newer !== undefined && <Newer draft={draft} newer={draft.newer} text={text} />}
      {!isStale(save.error) && <Failure error={save.error} />}
      <div className="grid min-h-80 flex-1 grid-cols-[15rem_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] overflow-hidden rounded-card border border-line bg-panel max-md:grid-cols-1 max-h-[85vh] max-md:max-h-none max-md:grid-rows-[auto_30rem]">
        <FileList
          files={files}
          issues={issues}
          chosen={file.name}
          onOpen={show}
          text={text}
          onChange={mayChange ? draft.change : undefined}
        />
        <div className="flex min-h-0 min-w-0 flex-col border-l border-line max-md:border-t max-md:border-l-0">
          <DefinitionActions
            ref={actions}
            file={file.name}
            version={draft.current?.version ?? 0}
            isChanged={draft.isChanged}
            showsChanges={showsChanges}
            onShowChanges={setShowsChanges}
            mayChange={mayChange}
            isSaving={save.isPending}
            canSave={canSave}
            onSave={() => save.mutate(text)}
            onDiscard={draft.discard}
          />
          <ReferenceDescription
            text={text}
            path={file.path}
            issues={issues}
            onChange={mayChange ? draft.change : undefined}
          />
          <div className="min-h-0 flex-1">
            {file.name === settingsFile && (
              <SettingsForm text={text} issues={issues} onChange={mayChange ? draft.change : undefined} />
            )}
            {files
              .filter(({ name }) => name !== settingsFile && (name === file.name || opened.has(name)))
              .map((each) => (
                <FileEditor
                  key={each.name}
                  file={each}
                  isShown={each === file}
                  issues={issues}
                  original={showsChanges ? (before.get(each.name) ?? "") : undefined}
                  jump={jump}
                  onChange={mayChange ? (changed) => draft.change(withText(text, each, changed)) : undefined}
                />
              ))}
          </div>
        </div>
      </div>
      <IssueList
        issues={issues}
        checked={checked}
        files={files}
        onGo={goTo}
        onFix={mayChange ? fix : undefined}
      />
    </div>
  );
}

/** The file in the address bar, so that a link and the way back show it. */
function useOpenFile(text: Definition) {
  const { file: name } = getRouteApi("/agents/$agentId/definition").useSearch();
  const navigate = useNavigate({ from: "/agents/$agentId/definition" });
  const files = useMemo(() => filesOf(text), [text]);
  const file = files.find((each) => each.name === name) ?? files[0];
  if (file === undefined) throw new Error("a definition has a protocol");
  const open = (chosen: string) =>
    void navigate({ search: chosen === files[0]?.name ? {} : { file: chosen }, replace: true });
  return { files, file, open };
}

/** Every file that has been opened. */
function useOpened(name: string): ReadonlySet<string> {
  const opened = useRef(new Set<string>());
  opened.current.add(name);
  return opened.current;
}

function isStale(error: Error | null): boolean {
  return error instanceof MusterError && error.code === "VERSION_MISMATCH";
}
