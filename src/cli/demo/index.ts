export { demo, type DemoOptions } from "./demo.ts";
