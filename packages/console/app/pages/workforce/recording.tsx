import type { Thread } from "@muster/client";
import { Download, ExternalLink } from "lucide-react";
import { useRef, useState } from "react";
import { muster } from "../../api.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Cues } from "./cues.tsx";

interface Props {
  recording: NonNullable<Thread["recording"]>;
  agentId: string;
  threadId: string;
  onDeleted: () => Promise<void>;
}

const sentences: Readonly<Record<string, string>> = {
  requested: "The video begins when the run reaches the computer.",
  recording: "The run is being recorded. The video is made when it ends.",
  processing: "The video is being made. It is usually ready within a minute.",
};

/** The video of the latest run, or why there is none yet. */
export function Recording({ recording, agentId, threadId, onDeleted }: Props) {
  const { status, url, error, visibility } = recording;
  if (status !== "ready" || url === null)
    return (
      <p
        role="status"
        className="grid min-h-0 flex-1 place-items-center rounded-card border border-line bg-panel p-6 text-center text-muted"
      >
        {sentences[status] ?? error ?? `The recording is ${status}.`}
      </p>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 max-lg:overflow-auto">
      <Player key={new URL(url).pathname} url={url} />
      <div className="flex items-center justify-between gap-3 text-small text-muted">
        <span>
          {visibility === "public"
            ? "Everyone who has the link can watch it."
            : "Its link works for 24 hours."}
        </span>
        <Confirm
          label="Delete the video"
          title="Delete the videos of this task?"
          onConfirm={async () => {
            await muster.workforce.open(agentId, threadId).deleteRecordings();
            await onDeleted();
          }}
        >
          The videos of all runs of the task are deleted. The messages stay.
        </Confirm>
      </div>
    </div>
  );
}

function Player({ url }: { url: string }) {
  // Each read of the thread returns another link to the same video, which must not interrupt it.
  const [{ pathname, search }] = useState(() => new URL(url));
  const base = pathname.replace(/\.webm$/, "");
  const video = useRef<HTMLVideoElement>(null);
  const chapters = useRef<HTMLTrackElement>(null);
  const transcript = useRef<HTMLTrackElement>(null);
  const [isBroken, setBroken] = useState(false);
  const link = "inline-flex items-center gap-1.5 text-accent hover:underline";
  return (
    <>
      <video
        ref={video}
        controls
        preload="metadata"
        playsInline
        src={`${pathname}${search}`}
        aria-label="Video of the run"
        className="aspect-video w-full rounded-card border border-line bg-code"
        onError={() => setBroken(true)}
      >
        <track
          ref={chapters}
          kind="chapters"
          srcLang="en"
          label="Chapters"
          src={`${base}/chapters.vtt${search}`}
        />
        <track
          ref={transcript}
          kind="captions"
          srcLang="en"
          label="Transcript"
          src={`${base}/transcript.vtt${search}`}
        />
      </video>
      {isBroken && (
        <p role="alert" className="text-table text-bad">
          The video cannot be played. Reload the page for a new link; if that does not help, this browser does
          not play WebM.
        </p>
      )}
      <p className="flex gap-4 text-table">
        <a className={link} href={`${pathname}${search}`} download>
          <Download size={14} aria-hidden="true" /> Download
        </a>
        <a className={link} href={`${base}${search}`} target="_blank" rel="noreferrer">
          <ExternalLink size={14} aria-hidden="true" /> Open as a page
        </a>
      </p>
      <div className="grid min-h-0 gap-4 sm:grid-cols-2 lg:flex-1">
        <Cues title="Chapters" video={video} track={chapters} />
        <Cues title="Transcript" video={video} track={transcript} />
      </div>
    </>
  );
}
