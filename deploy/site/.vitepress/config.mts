import { readFileSync } from "node:fs";
import { anchorOf } from "../anchors.ts";

// What depends on the documents is written by ../build.ts.
const site = JSON.parse(readFileSync(new URL("../.source/site.json", import.meta.url), "utf8"));

/** An error code or a setting is one word, and so are its parts. VitePress sends this text to the browser. */
const tokenize = (text) =>
  text.split(/[^\p{L}\p{N}_]+/u).flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]));

export default {
  title: "svcsync",
  description: "Syncs an ERP into a service system: no duplicates, nothing lost, nothing overwritten that is not ours.",
  // None: a browser would ask for one above the version.
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: ".source/pages",
  outDir: ".source/built",
  cacheDir: ".source/cache",
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: anchorOf },
    // Braces, words between colons and addresses in the documents mean themselves, as they do on a code host.
    attrs: { disable: true },
    linkify: false,
    config: (md) => md.disable("emoji"),
  },
  themeConfig: {
    nav: [{ text: "Contents", link: site.contents }],
    sidebar: site.sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: { miniSearch: { options: { tokenize }, searchOptions: { combineWith: "AND" } } },
    },
    version: site.version,
    entrance: site.entrance,
  },
};
