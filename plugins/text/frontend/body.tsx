import { rendered } from '@insight-host/kit/markdown';
import { diffLines } from '@insight-host/kit/texts';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { TextParts, Texts } from './board';

const MOST_ROWS = 500; // of a table of strings, or of a diff
const SIGNS = { same: ' ', removed: '−', added: '+' } as const;

interface BodyProps {
  readonly texts: Texts;
  readonly raw: boolean;
  readonly search: string;
}

/** Shows one text, or a table of texts. */
export function Body({ texts, raw, search }: BodyProps): JSX.Element {
  const rows = rowsOf(texts);
  if (texts.strings.length === 1) return <TextCell text={texts.strings[0] ?? ''} raw={raw} search={search} />;
  return (
    <table class="strings" data-testid="strings">
      <tbody>
        {rows.slice(0, MOST_ROWS).map((row) => (
          <tr>
            {row.map((text) => (
              <td>
                <TextCell text={text} raw={raw} search={search} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {rows.length > MOST_ROWS && (
        <tfoot>
          <tr>
            <td colSpan={rows[0]?.length ?? 1}>{`… ${rows.length - MOST_ROWS}`}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface TextCellProps {
  readonly text: string;
  readonly raw: boolean;
  readonly search: string;
}

/** Nodes are made by hand: Preact does not know of those that Markdown becomes. */
function TextCell({ text, raw, search }: TextCellProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return;
    current.replaceChildren(raw ? text : rendered(text));
    mark(current, search);
  }, [text, raw, search]);
  return <div ref={place} class={raw ? 'raw' : 'markdown'} data-testid="text" />;
}

interface DiffBodyProps {
  readonly board: TextParts;
  /** null while it is not known. */
  readonly before: string | null;
  readonly after: string;
  /** Names the other text. */
  readonly note: string;
}

/** Lines removed and added, each with its sign: colour alone does not say it. */
export function DiffBody({ board, before, after, note }: DiffBodyProps): JSX.Element {
  const lines = useMemo(() => (before === null ? [] : diffLines(before, after)), [before, after]);
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  return (
    <div class="diff" data-testid="diff">
      <p class="note">
        {note}
        {before !== null && changed === 0 ? ` · ${board.page.t('diff.same')}` : ''}
      </p>
      {lines.slice(0, MOST_ROWS).map(({ kind, text }) => (
        <div class={`line ${kind}`} data-kind={kind}>
          <span class="sign">{SIGNS[kind]}</span>
          {text}
        </div>
      ))}
      {lines.length > MOST_ROWS && <p class="note">{`… ${lines.length - MOST_ROWS}`}</p>}
    </div>
  );
}

/**
 * Strings as rows of a table: the last dimension gives the columns, all others together the rows; one string is one
 * cell.
 */
export function rowsOf({ shape, strings }: Texts): readonly (readonly string[])[] {
  const columns = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  const rows: (readonly string[])[] = [];
  for (let at = 0; at < strings.length; at += Math.max(1, columns)) rows.push(strings.slice(at, at + columns));
  return rows;
}

/** The whole record as one text: cells by tabs, rows by line ends. */
export const plainOf = (texts: Texts): string =>
  rowsOf(texts)
    .map((row) => row.join('\t'))
    .join('\n');

/**
 * Wraps every occurrence of `wanted` in the text below `root` into `<mark>`, ignoring case. Returns how many there are.
 */
export function mark(root: Node, wanted: string): number {
  if (!wanted) return 0;
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'giu');
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  let count = 0;
  for (const node of nodes) {
    for (const found of [...node.data.matchAll(pattern)].reverse()) {
      const within = node.splitText(found.index); // from the end on: what stands before keeps its place
      within.splitText(found[0].length);
      const wrapped = document.createElement('mark');
      within.replaceWith(wrapped);
      wrapped.append(within);
      count++;
    }
  }
  return count;
}
