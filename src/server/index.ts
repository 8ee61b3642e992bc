export { newApp, nodeServer, type App, type ContentPolicy, type Context, type Middleware } from "./app.ts";
export { html, rawHtml, scrollingTable, typed, type Content, type Html } from "./html.ts";
