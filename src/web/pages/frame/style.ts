import { createHash } from "node:crypto";
import { rawHtml, type ContentPolicy } from "#server";
import { scriptHash } from "./script.ts";

const style = `
:root { color-scheme: light dark; --ink: #17202b; --soft: #52606f; --line: #d8dee6; --paper: #f4f6f9; --panel: #fff;
  --link: #0b57b0; --good: #17653a; --wait: #7a5200; --bad: #a3201a; --goodback: #e6f4ea; --waitback: #fdf3d8; --badback: #fdeceb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf1; --soft: #a6b3c2; --line: #35404d; --paper: #10151b;
  --panel: #1a212a; --link: #8cbcff; --good: #7fd8a0; --wait: #ecc468; --bad: #ff9d95; --goodback: #12291b; --waitback: #2d2410;
  --badback: #341715; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1.5rem 3rem; max-width: 78rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; padding: .9rem 0; }
.brand { font-weight: 700; font-size: 1.15rem; color: var(--ink); text-decoration: none; }
nav { display: flex; gap: 1rem; margin-right: auto; }
nav a { color: var(--soft); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.search, .logout { display: flex; gap: .4rem; align-items: center; }
.search input { width: 17rem; max-width: 100%; }
footer { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; margin-top: 2.5rem; padding-top: .75rem;
  border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
.skip, .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip:focus { position: static; width: auto; height: auto; clip-path: none; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1.02rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
a { color: var(--link); }
.more summary { color: var(--soft); }
.more > * + * { margin-top: .5rem; }
.more form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .3rem 0; }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible, select:focus-visible,
.scroll:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
p { margin: .4rem 0; max-width: 60rem; overflow-wrap: anywhere; }
.verdict { padding: 1rem 1.25rem; border-radius: .6rem; border-left: .45rem solid var(--good); background: var(--goodback); }
.verdict h1 { margin: 0; }
.verdict + .verdict { margin-top: .9rem; }
.verdict.wait { border-color: var(--wait); background: var(--waitback); }
.verdict.bad { border-color: var(--bad); background: var(--badback); }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .9rem; align-items: start; }
.card, .decision { padding: .9rem 1.1rem; background: var(--panel); border: 1px solid var(--line); border-left: .3rem solid var(--soft);
  border-radius: .6rem; }
.card.held, .card.failing, .card.parked, .card.uncertain { border-left-color: var(--bad); }
.card.following, .card.loading, .card.paused, .card.waiting { border-left-color: var(--wait); }
.card ul { margin: .3rem 0; padding-left: 1.2rem; }
.card .todo { margin-top: .6rem; }
.advice th { font-weight: normal; text-align: left; white-space: normal; background: var(--paper); }
.done { padding: .5rem .8rem; border: 1px solid var(--line); }
.decision { margin: 1rem 0; border-left-color: var(--wait); max-width: 44rem; }
.decision h2, .decision h3 { margin: 0 0 .5rem; font-size: 1.05rem; }
.decision form { display: grid; grid-template-columns: minmax(0, 1fr); gap: .6rem; justify-items: start; margin-bottom: .6rem; }
.decision details { margin-top: .8rem; }
.decision details:first-child { margin: 0; }
.decision input[name="why"] { width: min(22rem, 100%); }
.decision label { max-width: 100%; }
ul.tiles { list-style: none; margin: .8rem 0; padding: 0; display: grid; gap: .6rem;
  grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); }
.tiles li { padding: .6rem .9rem; background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; }
.tiles strong { display: block; font-size: 1.35rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
ul.columns { columns: 14rem; padding-left: 1.2rem; }
.cards + .scroll, .scroll + .scroll { margin-top: .8rem; }
.scroll { overflow-x: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; padding: .4rem 1rem; }
.wide table { min-width: 56rem; }
.wide td:last-child { min-width: 14rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); padding: .25rem 0; overflow-wrap: anywhere; }
/* One long word of the ERP does not push the other columns out of sight. */
th, td { max-width: min(20rem, 60vw); overflow-wrap: break-word; text-align: left; vertical-align: top; padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; min-width: 9rem; }
.card dl { margin: .2rem 0; }
tbody th .quiet { font-weight: 400; }
.bars { fill: var(--link); background: var(--paper); border-bottom: 1px solid var(--soft); max-width: 100%; }
.bars .trouble { fill: var(--bad); }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.value { overflow-wrap: anywhere; white-space: pre-wrap; }
.cursor { display: inline-block; max-width: 20rem; }
details { color: var(--soft); }
summary { cursor: pointer; width: max-content; }
.command { color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .3rem;
  padding: 0 .35rem; overflow-wrap: anywhere; display: inline-block; max-width: 100%; }
code, .value { font: .92em/1.45 ui-monospace, monospace; }
code { color: var(--soft); }
.quiet { color: var(--soft); }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem;
  font-weight: 400; white-space: nowrap; color: var(--soft); }
.badge.applied, .badge.following { color: var(--good); }
.badge.waiting, .badge.due, .badge.claimed, .badge.loading { color: var(--wait); }
.badge.parked, .badge.uncertain, .badge.failing, .badge.held { color: var(--bad); }
ul.counts { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .4rem 1.25rem; margin: .75rem 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ul.changes { margin: 0; padding-left: 1.1rem; }
.differs { background: var(--waitback); }
.mark { display: inline-block; color: var(--wait); font-weight: 600; font-size: .85rem; }
.scroll + form, .scroll + p, .cards + p { margin-top: .8rem; }
.button { display: inline-block; padding: .4rem 1rem; border: 1px solid var(--link); border-radius: .4rem; text-decoration: none;
  background: var(--link); color: var(--panel); }
button { font: inherit; padding: .4rem 1rem; border: 1px solid var(--link); border-radius: .4rem; cursor: pointer;
  background: var(--link); color: var(--panel); }
button.plain { background: var(--panel); color: var(--link); border-color: var(--line); }
button.danger { background: var(--bad); border-color: var(--bad); }
input, select { font: inherit; padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: .4rem; background: var(--panel);
  color: var(--ink); min-width: 0; max-width: 100%; }
label { max-width: 100%; }
.acts label, .more label { display: inline-flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.login { max-width: 22rem; margin: 12vh auto 0; padding: 1.5rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: .8rem; display: grid; gap: .5rem; }
.login h1 { margin: 0; } .login button { margin-top: .6rem; }
.problem { color: var(--bad); }
.acts { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: start; margin: .8rem 0; }
.acts form, .acts details { margin: 0; }
.acts form { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.acts summary, .acts > a:not(.button) { color: var(--link); padding: .4rem 0; }
/* On a telephone each row is a block: nothing hides beside the edge of the window. */
@media (max-width: 48rem) { body { padding: 0 1rem 2rem; } .search { order: 3; width: 100%; } .search input { flex: 1; }
  h1 { font-size: 1.35rem; }
  .command { display: inline; -webkit-box-decoration-break: clone; box-decoration-break: clone; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
  .wide table { min-width: 0; } .wide thead { position: absolute; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); } .wide table, .wide tbody, .wide tr, .wide tbody th, .wide td {
  display: block; max-width: none; } .wide caption { display: block; } .wide tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .wide tr:last-child { border-bottom: 0; } .wide tbody th, .wide td { padding: .1rem 0; border: 0; overflow-wrap: anywhere; }
  .wide td[data-head]:empty { display: none; }
  .wide td[data-head]::before { content: attr(data-head) ": "; color: var(--soft); } }
`;

/** The only style sheet, inside each page, so that nothing is loaded from elsewhere. Its hash depends on every character. */
export const styleElement = rawHtml(`<style>${style}</style>`);

const styleHash = createHash("sha256").update(style).digest("base64");

/** No image, no frame, no other origin, and only our own script: even markup that escaped the escaping could do nothing. */
export const contentPolicy: ContentPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${styleHash}'`],
  scriptSrc: [`'sha256-${scriptHash}'`],
  connectSrc: ["'self'"],
  // The empty icon of the pages.
  imgSrc: ["data:"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};
