import { useEffect, useRef, useState } from "react";

const mediaTypes =
  "image/jpeg,image/png,image/gif,image/webp,application/pdf,text/plain,text/markdown,application/json";

/** The field of the next message, and its files. A message that has not begun a reply stays in the field. */
export function Composer({ session, onSend }) {
  const { status, uploads, upload, removeUpload, stop } = session;
  const [text, setText] = useState("");
  const picker = useRef(null);
  const field = useRef(null);
  const isRunning = status === "running";
  const isUploading = uploads.some(({ file, error }) => file === undefined && error === undefined);
  const canSend = !isRunning && status !== "loading" && !isUploading && text.trim() !== "";

  // On a touch screen, its keyboard would cover the conversation.
  useEffect(() => {
    if (!matchMedia("(pointer: coarse)").matches) field.current.focus();
  }, []);

  const send = async (event) => {
    event?.preventDefault();
    if (!canSend) return;
    field.current.focus();
    setText("");
    if (!(await onSend(text.trim()))) setText((typed) => [text, typed].filter(Boolean).join("\n"));
  };
  const add = (files) => {
    for (const file of files) void upload(file);
  };

  return (
    <form className="composer" aria-label="New message" onSubmit={send}>
      <div className="column">
        {uploads.length > 0 && (
          <ul className="uploads" aria-label="Files">
            {uploads.map((each) => (
              <UploadItem key={each.id} upload={each} onRemove={() => removeUpload(each.id)} />
            ))}
          </ul>
        )}
        <div className="field">
          <button
            type="button"
            className="quiet"
            aria-label="Add files"
            onClick={() => picker.current.click()}
          >
            <Icon path="M12 5v14M5 12h14" />
          </button>
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            accept={mediaTypes}
            onChange={({ target }) => {
              add(target.files);
              target.value = "";
            }}
          />
          <label className="hidden" htmlFor="message">
            Message
          </label>
          <textarea
            id="message"
            ref={field}
            rows={1}
            value={text}
            placeholder="Write a message"
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
            onPaste={({ clipboardData }) => add(clipboardData.files)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing)
                void send(event);
            }}
          />
          {isRunning ? (
            <button type="button" className="main" aria-label="Stop" onClick={stop}>
              <Icon path="M7 7h10v10H7z" isFilled />
            </button>
          ) : (
            <button type="submit" className="main" aria-label="Send" disabled={!canSend}>
              <Icon path="M12 19V5M5 12l7-7 7 7" />
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

function UploadItem({ upload, onRemove }) {
  const { name, sentBytes, totalBytes, file, error } = upload;
  return (
    <li data-state={error === undefined ? (file === undefined ? "sending" : "done") : "failed"}>
      <span className="name">{name}</span>
      {error !== undefined && <span role="alert">{reasonOf(error)}</span>}
      {file === undefined && error === undefined && (
        <progress aria-label={`Uploading ${name}`} max={totalBytes || 1} value={sentBytes} />
      )}
      <button type="button" className="quiet" aria-label={`Remove ${name}`} onClick={onRemove}>
        <Icon path="M6 6l12 12M18 6L6 18" />
      </button>
    </li>
  );
}

function reasonOf({ code, message }) {
  return code === "UNSUPPORTED_MEDIA_TYPE" ? "Files of this type are not accepted." : message;
}

function Icon({ path, isFilled = false }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className={isFilled ? "icon filled" : "icon"}>
      <path d={path} />
    </svg>
  );
}
