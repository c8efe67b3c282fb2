/** Reports: Markdown, in which a fenced block of the language `card` is a live card. */
import type { CardSpec } from '@insight-host/api';

/** A report as `ctx.saved` keeps it. */
export interface Report {
  readonly text: string;
}

/** The key under which the browser remembers the report that was opened last. */
export const LAST = 'last';

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'card'; readonly card: CardSpec }
  | { readonly kind: 'damaged'; readonly text: string };

const BLOCK = /^```card[ \t]*\n(.*?)^```[ \t]*$/gms; // as insight_reports/view.py reads it

export function partsOf(markdown: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  const text = markdown.replaceAll('\r\n', '\n');
  for (const match of text.matchAll(BLOCK)) {
    parts.push({ kind: 'text', text: text.slice(end, match.index) });
    const card = cardOf(match[1] as string);
    parts.push(card ? { kind: 'card', card } : { kind: 'damaged', text: match[0] });
    end = match.index + match[0].length;
  }
  parts.push({ kind: 'text', text: text.slice(end) });
  return parts.filter((part) => part.kind !== 'text' || part.text.trim() !== '');
}

export function blockOf(card: CardSpec): string {
  return `\`\`\`card\n${JSON.stringify(card, null, 1)}\n\`\`\``;
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
