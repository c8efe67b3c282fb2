/**
 * The text of a report: Markdown, in which a fenced block of the language `card` is a live card. The page shows and
 * edits it as blocks; what nobody edits stays as it was written, letter by letter.
 */
import type { CardSpec } from '@insight-host/api';

/** A report as `ctx.saved` keeps it. */
export interface Report {
  readonly text: string;
}

/** The key under which the browser remembers the report that was opened last. */
export const LAST = 'last';

/** Names of deleted reports begin with this, until somebody restores them. */
export const DELETED = 'deleted/';

/** `damaged`: a fence of the language `card` without a card in it, which stays in the text. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly card: CardSpec; readonly text: string }
  | { readonly kind: 'damaged'; readonly text: string };

/** A part with a number by which the page knows it while the report is open, and the empty lines that follow it. */
export type Block = Part & { readonly id: number; readonly gap: string };

const GAP = '\n\n'; // between two blocks
const FENCE = /^ {0,3}(`{3,}|~{3,}|\$\$)/;
const CARD = /^```card[ \t]*$/; // as insight_reports/view.py reads it
const CLOSING = /^```[ \t]*$/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;
const LEFT_OPEN = /<(\/?)(?:table|ul|ol|pre|blockquote)\b/gi;
/** Definitions of links and footnotes, which count in the whole text: `[name]: https://…`. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:.*$/gm;

let ids = 0;

/** The blocks of a text: paragraphs, lists, tables, fences, cards. Those that `before` has too keep their number. */
export function blocksOf(markdown: string, before: readonly Block[] = []): readonly Block[] {
  const known = new Map<string, number[]>();
  for (const { text, id } of before) known.set(text, [...(known.get(text) ?? []), id]);
  return chunksOf(markdown.replaceAll('\r\n', '\n')).map(({ text, gap }) => {
    const id = known.get(text)?.shift() ?? ++ids;
    return { ...partOf(text), id, gap };
  });
}

/** The text of these blocks: they are apart, each as it was written. */
export function textOf(blocks: readonly Block[]): string {
  const written = blocks.filter(({ text }) => text.trim() !== '');
  const last = written.length - 1;
  return written
    .map(({ text, gap }, at) => text + (at === last ? gap || '\n' : gap.includes(GAP) ? gap : GAP))
    .join('');
}

/** Definitions of the whole text that a block refers to, to be rendered with it. */
export function definitionsOf(blocks: readonly Block[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? (block.text.match(DEFINITION) ?? []) : [])).join('\n');
}

/** A block that is new, or has another text. */
export function blockOf(text: string, gap = GAP): Block {
  return { ...partOf(text), id: ++ids, gap };
}

export function fenceOf(card: CardSpec): string {
  return `\`\`\`card\n${JSON.stringify(card, null, 1)}\n\`\`\``;
}

/** These blocks with the one at `from` at `to`. */
export function moved(blocks: readonly Block[], from: number, to: number): readonly Block[] {
  const others = blocks.toSpliced(from, 1);
  return others.toSpliced(to, 0, ...blocks.slice(from, from + 1));
}

function partOf(text: string): Part {
  if (!CARD.test(text.slice(0, text.indexOf('\n') >>> 0))) return { kind: 'text', text };
  const card = cardOf(text.slice(text.indexOf('\n') + 1, text.lastIndexOf('\n') + 1));
  return card ? { kind: 'card', card, text } : { kind: 'damaged', text };
}

function cardOf(text: string): CardSpec | null {
  try {
    const { plugin, card, state } = JSON.parse(text) as Partial<CardSpec>;
    const isState = typeof state === 'object' && Object.values(state).every((value) => typeof value === 'string');
    return typeof plugin === 'string' && typeof card === 'string' && isState ? { plugin, card, state } : null;
  } catch {
    return null;
  }
}

/** Cuts a text where blocks of Markdown end that stand alone; all of its letters are in one of the chunks. */
function chunksOf(markdown: string): readonly { readonly text: string; readonly gap: string }[] {
  const lines = markdown.split('\n');
  const chunks: { text: string; gap: string }[] = [];
  let start = 0;
  while (start < lines.length) {
    let end = start;
    while (end < lines.length && lines[end]?.trim() === '') end++;
    const before = lines.slice(start, end);
    const last = chunks.at(-1);
    if (end === lines.length) {
      if (last) last.gap += `\n${before.join('\n')}`;
      break;
    }
    if (last) last.gap += `\n${before.map((line) => `${line}\n`).join('')}`;
    start = end;
    end = endOf(lines, start);
    chunks.push({ text: lines.slice(start, end).join('\n'), gap: '' });
    start = end;
  }
  return chunks;
}

/** The first line from `from` on that matches; -1 without one. */
function findFrom(lines: readonly string[], from: number, pattern: RegExp): number {
  for (let at = from; at < lines.length; at++) if (pattern.test(lines[at] as string)) return at;
  return -1;
}

/** The line after the block that begins at line `start`. */
function endOf(lines: readonly string[], start: number): number {
  const first = lines[start] as string;
  if (CARD.test(first)) {
    const end = findFrom(lines, start + 1, CLOSING);
    if (end !== -1) return end + 1;
  }
  const isList = ITEM.test(first);
  let fence = '';
  let open = 0; // elements of HTML that are not closed yet
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] as string;
    if (!fence && at > start && CARD.test(line) && findFrom(lines, at + 1, CLOSING) !== -1) break;
    const mark = FENCE.exec(line)?.[1] ?? '';
    if (fence) {
      if (fence === '$$' ? line.trimEnd().endsWith('$$') : mark.startsWith(fence) && line.trim() === mark) fence = '';
      continue;
    }
    if (mark && !(mark === '$$' && line.trim().length > 2 && line.trimEnd().endsWith('$$'))) {
      fence = mark;
      continue;
    }
    for (const [, close] of line.matchAll(LEFT_OPEN)) open += close ? -1 : 1;
    if (line.trim() !== '' || open > 0) continue;
    const next = findFrom(lines, at + 1, /\S/);
    const following = next === -1 ? '' : (lines[next] as string);
    if (/^(?: {2,}|\t)/.test(following) || (isList && ITEM.test(following))) continue; // goes on
    break;
  }
  while (at > start + 1 && lines[at - 1]?.trim() === '') at--;
  return at;
}
