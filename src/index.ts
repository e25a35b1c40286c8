export { readPack } from "./files/load-manifest.ts";
