import { createHash } from "node:crypto";
import { rawHtml, type ContentPolicy } from "#server";

const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #566273; --line: #d5dbe3; --paper: #fff; --panel: #f5f7fa;
  --link: #0b57b0; --good: #1b6e3c; --wait: #80570a; --bad: #a8201a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #a3b0c0; --line: #38424f; --paper: #14191f;
  --panel: #1d242c; --link: #86b9ff; --good: #73d096; --wait: #e5b95c; --bad: #ff928a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem 1.5rem 3rem; max-width: 80rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; padding-bottom: .75rem;
  border-bottom: 1px solid var(--line); color: var(--soft); }
header strong { font-size: 1.15rem; color: var(--ink); }
h1 { font-size: 1.5rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
a { color: var(--link); }
a:focus-visible, button:focus-visible, .scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
p { margin: .4rem 0; max-width: 60rem; }
.verdict { padding: .7rem 1rem; border-left: .3rem solid var(--good); background: var(--panel); }
.verdict.wait { border-color: var(--wait); }
.verdict.bad { border-color: var(--bad); }
.scroll { overflow-x: auto; }
.wide table { min-width: 56rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); padding-bottom: .35rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th .quiet { font-weight: 400; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.value { overflow-wrap: anywhere; white-space: pre-wrap; }
.cursor { display: inline-block; max-width: 20rem; }
details { color: var(--soft); }
summary { cursor: pointer; width: max-content; }
.command { color: var(--ink); background: var(--panel); border: 1px solid var(--line); border-radius: .3rem;
  padding: 0 .35rem; white-space: nowrap; }
tr.led > * { border-bottom: 0; }
tr.attention > td { padding: 0 0 .8rem; }
tr.attention ul { margin: 0; padding: .35rem .9rem .35rem 2rem; border-left: .25rem solid var(--wait);
  background: var(--panel); }
code, .value { font: .92em/1.45 ui-monospace, monospace; }
code { color: var(--soft); }
.quiet { color: var(--soft); }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .88em;
  white-space: nowrap; color: var(--soft); }
.badge.applied, .badge.following { color: var(--good); }
.badge.waiting, .badge.due, .badge.claimed, .badge.loading { color: var(--wait); }
.badge.paused { color: var(--quiet); }
.badge.parked, .badge.uncertain, .badge.failing, .badge.held { color: var(--bad); }
ul.counts { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: .75rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 2rem; }
/* On a telephone each row is a block: nothing hides beside the edge of the window. */
@media (max-width: 48rem) { .wide table { min-width: 0; } .wide thead { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); } .wide table, .wide tbody, .wide tr, .wide tbody th, .wide td {
  display: block; } .wide caption { display: block; } .wide tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .wide tr.led { border-bottom: 0; } .wide tbody th, .wide td { padding: .1rem 0; border: 0; overflow-wrap: anywhere; }
  .wide td[data-head]:empty { display: none; } .command { white-space: normal; }
  .wide td[data-head]::before { content: attr(data-head) " "; color: var(--soft); } }
button { font: inherit; padding: .35rem .9rem; border: 1px solid var(--link); border-radius: .3rem; cursor: pointer;
  background: var(--link); color: var(--paper); }
`;

/** The one style sheet, inside each page: nothing is loaded from anywhere. Its hash counts every blank, so it is whole here. */
export const styleElement = rawHtml(`<style>${style}</style>`);

const styleHash = createHash("sha256").update(style).digest("base64");

/** No script, no image, no frame, no other origin: a record that carried markup past the escaping could still do nothing. */
export const contentPolicy: ContentPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${styleHash}'`],
  // The empty icon of the pages.
  imgSrc: ["data:"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};
