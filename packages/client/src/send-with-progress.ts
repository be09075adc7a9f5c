/** The part of XMLHttpRequest that is used: `fetch` does not report how much it has sent. */
interface Sender {
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  onloadend: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: Blob): void;
  abort(): void;
}

/** Sends a body and reports the bytes that were sent so far. Undefined where that is not possible. */
export function sendWithProgress(
  url: string,
  {
    method,
    headers,
    body,
    signal,
  }: { method: string; headers: Record<string, string>; body: Blob; signal: AbortSignal },
  onSent: (bytes: number) => void,
): Promise<Response> | undefined {
  // Only browsers have it.
  const { XMLHttpRequest: Sender }: { XMLHttpRequest?: new () => Sender } = Object(globalThis);
  if (Sender === undefined) return undefined;
  const sender = new Sender();
  return new Promise<Response>((resolve, reject) => {
    sender.upload.onprogress = ({ loaded }) => onSent(loaded);
    sender.onload = () => resolve(new Response(sender.responseText || null, { status: sender.status }));
    sender.onerror = () => reject(new Error("the upload was cut"));
    sender.onabort = () => reject(signal.reason);
    const stop = () => sender.abort();
    signal.addEventListener("abort", stop);
    sender.onloadend = () => signal.removeEventListener("abort", stop);
    sender.open(method, url);
    for (const [name, value] of Object.entries(headers)) sender.setRequestHeader(name, value);
    sender.send(body);
  });
}
