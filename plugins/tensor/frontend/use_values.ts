import type { Query } from '@insight-host/api';
import { cardId, message, urgencyOf, type CardKey, type Place } from '@insight-host/kit';
import { Latest } from '@insight-host/kit/lab';
import { recordQuery, type Records } from '@insight-host/kit/steps';
import type { Area } from '@insight-host/kit/table';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { around, covers, decodeValues, type Block, type Sheet, type Values } from './blocks';
import type { TensorParts } from './board';
import { exactText, type Value } from './numbers';

const MOST = 20_000; // values that one question asks for
const KEPT = 12; // blocks of one sheet
const FIRST: Area = { row: 0, rowEnd: 64, column: 0, columnEnd: 32 }; // before it is known what is in sight
const CALM = 150; // ms without a step before the statistics of a large tensor are asked for
const LARGE = 4_000_000; // bytes

interface ShownValues {
  /** The sheet that was asked for; until it comes, the one before. */
  readonly sheet: Sheet | null;
  readonly blocks: readonly Block[];
  /** How many texts of a block are cut. */
  readonly cut: number;
  /** The error if the requested values could not be loaded. */
  readonly error: string | null;
  readonly busy: boolean;
  look(area: Area): void;
  retry(): void;
}

interface Shown {
  readonly key: string;
  readonly sheet: Sheet;
  readonly blocks: readonly Block[];
  readonly cut: number;
}

/** The key of the values of one record under a slice. */
export function valuesQuery(card: CardKey, records: Records, index: number, slice: string): Query {
  return { ...recordQuery(card, records, index), slice: slice || null };
}

function windowQuery(area: Area): Query {
  return { rows: `${area.row}:${area.rowEnd}`, columns: `${area.column}:${area.columnEnd}`, format: 'safetensors' };
}

/** The values in sight of the record at which a card's slider stands. */
export function useValues(
  board: TensorParts,
  card: CardKey,
  place: Place,
  records: Records | null,
  index: number,
): ShownValues {
  const id = cardId(card);
  const latest = useMemo(() => new Latest<Shown>(board.queue, () => urgencyOf(place)), [board, id]);
  const shown = useRef<Shown | null>(null);
  const taken = useRef<unknown>(null);
  const sight = useSignal<Area>(FIRST);
  const query = records && index >= 0 ? valuesQuery(card, records, index, board.slices.of(card) ?? '') : null;
  const key = query && JSON.stringify(query);

  const answer = latest.answer.value;
  if (answer && answer.value !== taken.current) {
    taken.current = answer.value;
    const { key: of, sheet, blocks, cut } = answer.value;
    const before = shown.current?.key === of ? shown.current.blocks.slice(1 - KEPT) : [];
    shown.current = { key: of, sheet, blocks: [...before, ...blocks], cut };
  }
  const now = shown.current;
  const isThere = now !== null && now.key === key && covers(now.blocks, clipped(sight.value, now.sheet));
  const visible = board.page.visible.value;
  const area = now ? around(clipped(sight.value, now.sheet), now.sheet, MOST) : sight.value;
  const wish = key && `${key} ${area.row} ${area.rowEnd} ${area.column} ${area.columnEnd}`;
  useEffect(() => {
    if (!query || !key || !wish || isThere || !visible) return;
    latest.want(wish, async (signal) => {
      const { sheet, block, cut } = decodeValues(
        await board.page.ctx.data.columns('values', { ...query, ...windowQuery(area) }, { signal }),
      );
      return { key, sheet, blocks: [block], cut };
    });
  }, [latest, wish, isThere, visible]);
  useEffect(() => () => latest.rest(), [latest]);
  const failure = latest.error.value;
  const error = failure && !isThere && failure.key === wish ? failure.reason : null;
  return {
    sheet: now?.sheet ?? null,
    blocks: now?.blocks ?? [],
    cut: now?.cut ?? 0,
    error,
    busy: key !== null && !isThere && !error,
    look: (seen) => (sight.value = seen),
    retry: () => latest.retry(),
  };
}

function clipped(area: Area, { rows, columns }: Sheet): Area {
  const [rowEnd, columnEnd] = [Math.min(area.rowEnd, rows), Math.min(area.columnEnd, columns)];
  return { row: Math.min(area.row, rowEnd), rowEnd, column: Math.min(area.column, columnEnd), columnEnd };
}

/** Values of an area, for a copy: of those here, or else asked for. */
async function valuesOf(board: TensorParts, query: Query, area: Area): Promise<Values> {
  return decodeValues(
    await board.page.ctx.data.columns('values', { ...query, ...windowQuery(area) }, { signal: board.page.ctx.signal }),
  );
}

/** The answer of `/statistics`; null where the type has none. Integers that are too large for a number are texts. */
export interface Statistics {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly count: number;
  readonly mean: number | string | null;
  readonly std: number | string | null;
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly zeros: number | null;
  readonly positives: number | null;
  readonly negatives: number | null;
  readonly nan: number | null;
  readonly pos_inf: number | null;
  readonly neg_inf: number | null;
}

interface ShownStatistics {
  /** Those of the record; until they come, those of the one before. */
  readonly statistics: Statistics | null;
  /** They are of the record at which the slider stands. */
  readonly fresh: boolean;
  readonly extremes: Extremes;
}

/** Statistics of the whole tensor; of a large one once the slider rests. */
export function useStatistics(
  board: TensorParts,
  card: CardKey,
  place: Place,
  records: Records | null,
  index: number,
): ShownStatistics {
  const latest = useMemo(
    () => new Latest<Statistics>(board.queue, () => urgencyOf(place) + 1e6),
    [board, cardId(card)],
  );
  const query = records && index >= 0 ? recordQuery(card, records, index) : null;
  const key = query && JSON.stringify(query);
  const visible = board.page.visible.value;
  useEffect(() => {
    if (!query || !key || !visible) return;
    const calm = latest.answer.value && (records?.sizes[index] ?? 0) > LARGE ? CALM : 0;
    const timer = setTimeout(
      () => latest.want(key, (signal) => board.page.ctx.data.json<Statistics>('statistics', query, { signal })),
      calm,
    );
    return () => clearTimeout(timer);
  }, [latest, key, visible]);
  useEffect(() => () => latest.rest(), [latest]);
  const answer = latest.answer.value;
  const statistics = answer?.value ?? null;
  const extremes = useMemo(
    () => ({ min: Number(statistics?.min ?? NaN), max: Number(statistics?.max ?? NaN) }),
    [statistics],
  );
  return { statistics, fresh: answer !== null && answer.key === key, extremes };
}

/** How strongly a cell is coloured: its share of the largest positive or the smallest negative value of the tensor. */
export interface Extremes {
  readonly min: number;
  readonly max: number;
}
export interface Heat {
  readonly sign: 'positive' | 'negative';
  /** 0 to 1. */
  readonly share: number;
}

/** null: zero, not a finite number, or nothing to compare with. */
export function heatOf({ real, imaginary, text }: Value, { min, max }: Extremes): Heat | null {
  if (text !== undefined || imaginary !== undefined) return null;
  const number = Number(real);
  if (!Number.isFinite(number) || number === 0) return null;
  const most = number > 0 ? max : min;
  const share = Math.min(1, number / most);
  return share > 0 ? { sign: number > 0 ? 'positive' : 'negative', share } : null;
}

/** Puts the values of an area on the clipboard as tab-separated lines, in full, and says how many. */
export async function copyArea(board: TensorParts, query: Query, sheet: Sheet, area: Area): Promise<void> {
  const { t: say } = board.page;
  const number = (n: number): string => n.toLocaleString(board.page.locale.value);
  let given: { readonly text: string; readonly count: number; readonly bounded: boolean };
  try {
    const { block, bounded, cut } = await valuesOf(board, query, area);
    const { row, rowEnd, column, columnEnd } = block.area;
    const lines: string[] = [];
    for (let r = row; r < rowEnd; r++) {
      const cells: string[] = [];
      for (let c = column; c < columnEnd; c++)
        cells.push(exactText(block.at(r, c), sheet.kind, block.single).replace(/[\t\r\n]+/g, ' '));
      lines.push(cells.join('\t'));
    }
    given = { text: lines.join('\n'), count: (rowEnd - row) * (columnEnd - column), bounded: bounded || cut > 0 };
  } catch (error) {
    board.page.ctx.notify('error', message(error));
    return;
  }
  try {
    await navigator.clipboard.writeText(given.text);
  } catch {
    board.page.ctx.notify('error', say('copy_failed'));
    return;
  }
  const all = (area.rowEnd - area.row) * (area.columnEnd - area.column);
  if (given.bounded)
    board.page.ctx.notify('warn', say('copied.some', { values: number(given.count), all: number(all) }));
  else board.page.ctx.notify('info', say('copied.values', { count: given.count, values: number(given.count) }));
}
