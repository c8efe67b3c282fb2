/** How the columns of a table look: a title, a width, and a text for each value. */
import type { Locale } from '@insight-host/api';
import type { CellLook, Column } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import type { Cell, ColumnInfo, Row, Unit } from '../answers/table';
import {
  countText,
  MISSING,
  powerText,
  shareText,
  sizeText,
  timeCell,
  timeText,
  unitSign,
  type TimeUnit,
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
};

interface ColumnsProps {
  readonly columns: readonly ColumnInfo[];
  /** Those to show, in their order; null for all. */
  readonly shown: readonly string[] | null;
  readonly unit: TimeUnit;
  readonly locale: Locale;
  readonly say: (key: string) => string;
  readonly has: (key: string) => boolean;
  readonly views?: Readonly<Record<string, View>>;
  readonly widths?: Readonly<Record<string, number>>;
  /** Instead of those of the catalogue. */
  readonly titles?: Readonly<Record<string, string>>;
}

export function columnsOf({
  columns,
  shown,
  unit,
  locale,
  say,
  has,
  views = {},
  widths = {},
  titles = {},
}: ColumnsProps): readonly Column<Row>[] {
  const chosen = shown ?? columns.map(({ name }) => name);
  const scopeAt = columns.findIndex((column) => column.name === 'scope');
  return chosen.flatMap((name, place): Column<Row>[] => {
    const at = columns.findIndex((column) => column.name === name);
    const column = columns[at];
    if (!column) return [];
    const isNumber = column.unit !== 'text';
    const known = [`column.${name}`, `category.${name}`].find(has);
    const plain = titles[name] ?? (known ? say(known) : name.replaceAll('_', ' '));
    const title =
      column.unit === 'ns'
        ? `${plain} (${unitSign(unit)})`
        : column.unit === 'share' || column.unit === 'percent'
          ? `${plain} (%)`
          : plain;
    const hint = has(`column.${name}.hint`) ? say(`column.${name}.hint`) : title;
    const view = views[name];
    const width =
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
        : { content: cellText(value, column.unit, unit, locale), title: valueWithUnit(value, column.unit, locale) };
    };
    return [
      {
        key: name,
        title,
        hint,
        kind: isNumber ? 'number' : 'text',
        width,
        grows: place === 0 && !isNumber,
        cell,
        value: (row) => row[at] ?? null,
      },
    ];
  });
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
