import { renderToString } from "react-dom/server.edge";
import { App } from "./page.jsx";

/** The HTML of the page, as a server sends it. */
export const render = (props) => renderToString(<App {...props} />);
