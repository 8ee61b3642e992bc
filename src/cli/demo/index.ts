export { registerDemo } from "./demo.ts";
