import type { StartThreadRequest } from "@muster/client";
import { useMutation } from "@tanstack/react-query";
import { Paperclip, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { muster } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Field, issuesAt } from "../../parts/field.tsx";

interface Props {
  /** Names the field. */
  label: string;
  /** The word on the button. */
  action: string;
  agentId: string;
  /** Whether the run can be chosen to become a video: that of a follow-up is like the first. */
  canRecord?: boolean;
  placeholder?: string;
  onSend: (body: StartThreadRequest) => Promise<void>;
}

/** A message to an agent, with files. */
export function Composer({ label, action, agentId, canRecord = false, placeholder, onSend }: Props) {
  const [message, setMessage] = useState("");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [record, setRecord] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const send = useMutation({
    mutationFn: async () => {
      const uploaded = await muster.workforce.upload(agentId, files);
      await onSend({
        message,
        ...(uploaded.length > 0 && { files: uploaded }),
        ...(record && { config: { record } }),
      });
    },
    onSuccess: () => {
      setMessage("");
      setFiles([]);
    },
  });
  return (
    <form
      ref={form}
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending && message.trim() !== "") send.mutate();
      }}
    >
      <Field label={label} error={send.error} path="message">
        {(controls) => (
          <textarea
            {...controls}
            rows={3}
            value={message}
            placeholder={placeholder}
            onChange={({ target }) => setMessage(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              form.current?.requestSubmit();
            }}
          />
        )}
      </Field>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Attach onChoose={(more) => setFiles((known) => [...known, ...more])} />
        {canRecord && (
          <label className="flex items-center gap-2 text-table">
            <input type="checkbox" checked={record} onChange={({ target }) => setRecord(target.checked)} />
            Record a video
          </label>
        )}
        <span className="flex-1 text-right text-small text-muted max-md:hidden">Shift Enter: a new line</span>
        <Button type="submit" look="primary" disabled={send.isPending || message.trim() === ""}>
          {send.isPending ? "Sending …" : action}
        </Button>
      </div>
      <Chosen files={files} onRemove={(file) => setFiles(files.filter((each) => each !== file))} />
      {issuesAt(send.error, "message").length === 0 && <Failure error={send.error} />}
    </form>
  );
}

function Attach({ onChoose }: { onChoose: (files: readonly File[]) => void }) {
  const id = useId();
  return (
    <span className="inline-flex rounded-card focus-within:outline-2 focus-within:outline-accent">
      <input
        id={id}
        type="file"
        multiple
        className="sr-only"
        onChange={({ target }) => {
          onChoose([...(target.files ?? [])]);
          // The same file can be chosen again after it was removed.
          target.value = "";
        }}
      />
      <label
        htmlFor={id}
        className="inline-flex h-8 cursor-pointer items-center gap-1.5 text-table text-muted hover:text-text"
      >
        <Paperclip size={14} aria-hidden="true" /> Add files
      </label>
    </span>
  );
}

function Chosen({ files, onRemove }: { files: readonly File[]; onRemove: (file: File) => void }) {
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: two files can have one name
          key={`${index} ${file.name}`}
          className="inline-flex items-center gap-1 rounded-chip border border-line bg-raised py-0.5 pr-1 pl-2 text-small"
        >
          {file.name}
          <button
            type="button"
            aria-label={`Remove ${file.name}`}
            className="inline-flex size-5 items-center justify-center rounded-chip text-muted hover:text-text"
            onClick={() => onRemove(file)}
          >
            <X size={12} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}
