/** How a table looks: a grid of columns, each with a title, a width, and a text for each value. */
import type { Locale } from '@insight-host/api';
import { copyTable } from '@insight-host/kit';
import { type CellLook, type Column, type Rows, type Sort, Table, useWidths } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { Cell, ColumnInfo, Row, Unit } from '../answers/table';
import {
  countText,
  MISSING,
  powerText,
  shareText,
  sizeText,
  timeCell,
  timeText,
  type TimeUnit,
  unitSign,
} from '../units';

/** What a column shows instead of the text of a value. */
export type View = (value: Cell, row: Row, unit: TimeUnit) => JSX.Element | null;

const WIDTHS: Readonly<Record<string, number>> = {
  name: 260,
  type: 150,
  scope: 260,
  shapes: 220,
  information: 240,
  operator: 220,
  grid: 120,
  block: 110,
  share: 140,
};
/** Of the column by which rows are grouped. */
const WIDE: Readonly<Record<string, number>> = { type: 250, scope: 320 };

interface ColumnsProps {
  readonly table: string;
  readonly columns: readonly ColumnInfo[];
  /** Those to show, in their order; null for all. */
  readonly shown: readonly string[] | null;
  readonly unit: TimeUnit;
  readonly locale: Locale;
  readonly say: (key: string) => string;
  readonly views?: Readonly<Record<string, View>>;
  readonly widths?: Readonly<Record<string, number>>;
  /** The column by which rows are grouped. */
  readonly grouping?: string;
}

/** What a column is called: in this table, or else in all. */
export function titleOf(say: (key: string) => string, table: string, name: string): string {
  const keys = [`column.${table}.${name}`, `column.${name}`, `category.${name}`];
  const known = keys.find((key) => say(key) !== key);
  return known ? say(known) : name.replaceAll('_', ' ');
}

export function columnsOf({
  table,
  columns,
  shown,
  unit,
  locale,
  say,
  views = {},
  widths = {},
  grouping = '',
}: ColumnsProps): readonly Column<Row>[] {
  const chosen = shown ?? columns.map(({ name }) => name);
  const scopeAt = columns.findIndex((column) => column.name === 'scope');
  return chosen.flatMap((name, place): Column<Row>[] => {
    const at = columns.findIndex((column) => column.name === name);
    const column = columns[at];
    if (!column) return [];
    const isNumber = column.unit !== 'text';
    const plain = titleOf(say, table, name);
    const title =
      column.unit === 'ns'
        ? `${plain} (${unitSign(unit)})`
        : column.unit === 'share' || column.unit === 'percent'
          ? `${plain} (%)`
          : plain;
    const hint = say(`column.${name}.hint`);
    const view = views[name];
    const width =
      (name === grouping ? WIDE[name] : undefined) ??
      widths[name] ??
      WIDTHS[name] ??
      (isNumber
        ? Math.max(98, Math.min(210, 38 + [...title].reduce((sum, letter) => sum + (letter > '\u2e80' ? 13 : 7.4), 0)))
        : 180);
    const cell = (row: Row): CellLook => {
      const value = row[at] ?? null;
      const scope = name === 'name' && scopeAt >= 0 ? (row[scopeAt] ?? '') : '';
      if (value && scope && !view)
        return { content: <ScopedName name={String(value)} scope={String(scope)} />, title: `${scope}/${value}` };
      return view
        ? { content: view(value, row, unit) }
        : column.unit === 'share' && typeof value === 'number'
          ? { content: <ShareBar share={value} text={cellText(value, column.unit, unit, locale)} /> }
          : { content: cellText(value, column.unit, unit, locale), title: valueWithUnit(value, column.unit, locale) };
    };
    return [
      {
        key: name,
        title,
        hint: hint === `column.${name}.hint` ? title : hint,
        kind: isNumber ? 'number' : 'text',
        width,
        grows: place === 0 && !isNumber,
        cell,
        value: (row) => row[at] ?? null,
      },
    ];
  });
}

/** A share of the whole, as a bar behind its number. */
function ShareBar({ share, text }: { readonly share: number; readonly text: string }): JSX.Element {
  return (
    <span class="share-cell">
      <i style={{ width: `${100 * Math.max(0, Math.min(1, share))}%` }} />
      <span>{text}</span>
    </span>
  );
}

/** A name and the end of its scope: many operators of MindSpore are called `MatMul-op0`. */
function ScopedName({ name, scope }: { readonly name: string; readonly scope: string }): JSX.Element {
  return (
    <span class="scoped-name">
      <span class="name">{name}</span>
      <span class="scope" dir="rtl">
        <bdi dir="ltr">{scope}</bdi>
      </span>
    </span>
  );
}

/** A value as it stands in its column, which says the unit. */
export function cellText(value: Cell, unit: Unit, time: TimeUnit, locale: Locale): string {
  if (value === null || value === '') return MISSING;
  if (typeof value !== 'number') return String(value);
  if (!Number.isFinite(value)) return String(value);
  if (unit === 'ns') return timeCell(value, time, locale);
  if (unit === 'share')
    return (value * 100).toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  if (unit === 'bytes') return sizeText(value, locale);
  if (unit === 'bytes_per_second') return `${sizeText(value, locale)}/s`;
  if (unit === 'percent') return value.toLocaleString(locale, { maximumFractionDigits: 1 });
  if (unit === 'ratio') return `${value.toLocaleString(locale, { maximumFractionDigits: 2 })}×`;
  if (unit === 'number') return String(value);
  if (unit === 'flops') return powerText(value, 'FLOP', locale);
  if (unit === 'rate') return powerText(value, 'FLOP/s', locale);
  return countText(value, locale);
}

/** A value alone, with its unit. */
export function valueWithUnit(value: Cell, unit: Unit, locale: Locale): string {
  if (typeof value !== 'number') return value === null || value === '' ? MISSING : String(value);
  return unit === 'ns'
    ? timeText(value, locale)
    : unit === 'share'
      ? shareText(value, locale)
      : cellText(value, unit, 'ns', locale);
}

export const LINE = 28; // px

export interface GridProps {
  readonly board: ProfilerParts;
  readonly name: string;
  readonly label: string;
  readonly rows: Rows<Row>;
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort;
  readonly onSort: (column: Column<Row>) => void;
  /** A press on a row, or Enter. */
  readonly onOpen?: (row: Row) => void;
  readonly isOpen?: (row: Row) => boolean;
  /** Identifies what is shown: when it changes the table begins at its top. */
  readonly question?: string;
  readonly busy?: boolean;
}

/** A table of a profile; its first column stays at the left. */
export function Grid({ board, name, columns, sort, onSort, isOpen, ...given }: GridProps): JSX.Element {
  const [first, rest] = useMemo(() => [columns.slice(0, 1), columns.slice(1)], [columns]);
  return (
    <Table<Row>
      {...given}
      name={`grid-${name}`}
      frozen={first}
      columns={rest}
      widths={useWidths(board.page.ctx.memory, name)}
      rowHeight={LINE}
      sort={{ by: [sort], turn: (key) => onSort(columns.find((column) => column.key === key) as Column<Row>) }}
      line={(row, place) => ({
        selected: isOpen?.(row) === true,
        class: isOpen?.(row) ? 'open' : '',
        data: { row: place },
      })}
      onCopyRows={(rows, all) => void copyTable(board.page, rows, all)}
    />
  );
}
