// The page shows the video once it is there. A page in the background waits until someone looks at it.
const pauseMs = 5_000;
const reload = () => location.reload();
setTimeout(() => {
  if (document.visibilityState === "visible") reload();
  else document.addEventListener("visibilitychange", reload, { once: true });
}, pauseMs);
