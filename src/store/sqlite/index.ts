export { openStore } from "./open.ts";
