import { hydrateRoot } from "react-dom/client";
import { App } from "./page.jsx";

globalThis.frames = 0;
const count = () => {
  globalThis.frames += 1;
  requestAnimationFrame(count);
};
requestAnimationFrame(count);
hydrateRoot(
  document.querySelector("#root"),
  <App {...JSON.parse(document.querySelector("#props").textContent)} />,
  {
    onRecoverableError: (error) => console.error(error),
  },
);
