/** The samples of a step in the groups of their prompts, or in the order of a column; hits of a search. */
import { Empty } from '@insight-host/kit';
import { rowsOf, Table, turned, useWidths, type Column, type Rows } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Line } from './answers';
import { sorted, type SamplesBoard } from './board';
import { short } from './charts';

interface ListProps {
  readonly board: SamplesBoard;
}

const MOST_SCORES = 2; // columns of scores

export function List({ board }: ListProps): JSX.Element {
  const { page, lines, search } = board;
  const { t: say } = page;
  const widths = useWidths(page.ctx.memory, 'samples');
  const isSearch = board.q.value !== '';
  const rows: Rows<Line> = isSearch ? rowsOf(search.hits.value) : lines;
  const first = rows.at(0);
  // the sample of a link may be one that is not in the list; without one the first is shown
  useEffect(() => {
    const of = board.sample.peek();
    const known = of && (isSearch ? search.hits.peek() : lines.here).find(({ id }) => id === of.id);
    if (known) board.line.value = known;
    else if (first && (of === null || board.line.peek() !== null) && !isSearch) board.open(first);
  }, [first, isSearch, lines.head.value]);
  if (rows.count === 0) {
    const isBusy = isSearch ? search.share.value < 1 : lines.head.value === null && lines.error.value === null;
    return (
      <div class="pane list" aria-busy={isBusy}>
        {!isBusy && <Empty title={say('none')} text={lines.error.value ?? search.failure.value ?? say('none.text')} />}
      </div>
    );
  }
  const { key, down } = sorted(board.sort.value);
  return (
    <div class="pane list" data-testid="samples-list">
      <Table
        name="samples-table"
        label={say('list')}
        rows={rows}
        columns={columnsOf(board)}
        rowHeight={44}
        idOf={(line) => line.id}
        widths={widths}
        sort={{
          by: key === '' ? [] : [{ key, down }],
          turn: (of) => {
            const [now] = turned(key === '' ? [] : [{ key, down }], of, false, true, true);
            board.sort.set(now ? `${now.down ? '-' : ''}${now.key}` : '');
          },
        }}
        line={(line, at) => ({
          selected: line.id === board.sample.value?.id,
          class: groupStarts(rows, line, at) ? 'group-start' : '',
          data: { id: line.id, group: line.group },
        })}
        onOpen={board.open}
        onPoint={() => undefined}
        question={JSON.stringify([
          board.run.value,
          board.source.value,
          board.step.value,
          board.sort.value,
          board.q.value,
        ])}
        busy={lines.busy.value}
      />
    </div>
  );
}

/** Whether a line begins a group; groups of one sample each, as in evaluations, are no groups to the eye. */
const groupStarts = (rows: Rows<Line>, line: Line, at: number): boolean => {
  const groupAt = (place: number): string | null => (place < 0 ? null : (rows.at(place)?.group ?? null));
  const before = groupAt(at - 1);
  if (before === null || before === line.group) return false;
  return groupAt(at + 1) === line.group || groupAt(at - 2) === before;
};

function columnsOf(board: SamplesBoard): readonly Column<Line>[] {
  const { t: say } = board.page;
  const overview = board.known.value;
  const known = (overview?.scores ?? []).slice();
  const names = [board.score.value, ...known.filter((name) => name !== board.score.value)].filter(Boolean);
  const summaries = overview?.shown.map(([, { columns }]) => columns) ?? [];
  const has = (column: string): boolean => summaries.some((columns) => columns[column] !== undefined);
  const number = (key: string, title: string, of: (line: Line) => number | null, width = 72): Column<Line> => ({
    key,
    title,
    kind: 'number',
    width,
    cell: (line) => ({ content: short(of(line) ?? NaN, 3), title: String(of(line) ?? '') }),
    value: of,
  });
  const isWide = board.everyStep.value || board.q.value !== '';
  return [
    {
      key: 'said',
      title: say('said'),
      kind: 'text',
      width: 150,
      grows: true,
      sorts: false,
      cell: (line) => ({ content: <Said board={board} line={line} /> }),
      value: (line) => line.said,
    },
    ...(isWide ? [number('step', say('step'), (line) => line.step, 60)] : []),
    ...names.slice(0, MOST_SCORES).map((name, at): Column<Line> => {
      const plain = number(`score/${name}`, name, (line) => line.scores[name] ?? null, 66);
      if (at > 0) return plain;
      const spreads = overview?.shown.map(([, { columns }]) => columns[`score/${name}`]) ?? [];
      return { ...plain, width: 92, cell: (line) => scoreCell(line.scores[name] ?? null, spreads) };
    }),
    ...(has('advantage') ? [number('advantage', say('advantage'), (line) => line.advantage, 62)] : []),
    number('length', say('length'), (line) => line.length),
  ];
}

/** A score with a bar from its smallest to its largest value of all steps. */
function scoreCell(
  value: number | null,
  spreads: readonly (readonly number[] | undefined)[],
): { content: JSX.Element | string; title?: string } {
  if (value === null) return { content: '–' };
  const low = Math.min(...spreads.map((spread) => spread?.[2] ?? Infinity));
  const high = Math.max(...spreads.map((spread) => spread?.[8] ?? -Infinity));
  const share = high > low ? Math.max(0, Math.min(1, (value - low) / (high - low))) : 0;
  return {
    content: (
      <span class="score">
        <span class="bar" style={{ '--share': `${share * 100}%` }} />
        {short(value, 3)}
      </span>
    ),
    title: String(value),
  };
}

function Said({ board, line }: ListProps & { readonly line: Line }): JSX.Element {
  const { t: say } = board.page;
  return (
    <span class="said">
      <span class="asked">{lastLine(line.asked) || '…'}</span>
      <span class="answer">
        {line.signs.map((sign) => (
          <span key={sign} class={`sign ${sign}`}>
            {say(`sign.${sign}`)}
          </span>
        ))}
        {inOneLine(line.said ?? '…')}
      </span>
    </span>
  );
}

/** The beginning of a text without its line breaks. */
export const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200);

const CUT = 240; // characters of a prompt that lists have: it may begin within a word
const LEAST = 16; // letters that say what was asked; "Answer:" does not

/** The last words that are no mark of a template. */
export function lastLine(text: string | null): string {
  const lines = (text ?? '')
    .replace(/<\|[^|>]*\|>/g, '\n')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !/^(assistant|user|system)$/.test(one));
  let found = lines.pop() ?? '';
  while (found.length < LEAST && lines.length > 0) found = `${lines.pop()} ${found}`;
  const isCut = lines.length === 0 && (text?.length ?? 0) >= CUT;
  return isCut ? `… ${found.replace(/^[\w'-]*[^\w\s]?\s/, '')}` : found;
}
