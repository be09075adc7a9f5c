import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { paletteCss } from "./palette-css.ts";

/** The server that `npm run console:dev` shows. */
const server = process.env.MUSTER_URL ?? "http://localhost:8080";

export default defineConfig({
  root: `${import.meta.dirname}/app`,
  base: "/console/",
  plugins: [react(), tailwindcss(), paletteCss()],
  build: {
    outDir: process.env.CONSOLE_OUT ?? `${import.meta.dirname}/built`,
    emptyOutDir: true,
    // The policy of the page forbids `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Pages that open at once may not wait for a second request of theirs.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 700,
  },
  server: { port: 5173, proxy: { "^/(?!console(?:/|$))": { target: server, changeOrigin: false } } },
});
