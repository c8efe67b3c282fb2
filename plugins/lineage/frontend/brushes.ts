/** What the user left standing on axes: a range of numbers, or some of the texts. */
import type { Codec } from '@insight-host/api';
import { codecs, type Page, type Setting } from '@insight-host/kit';
import type { Column, Frame, Value } from '@insight-host/kit/runs';

export type Brush =
  | { readonly kind: 'range'; readonly low: number; readonly high: number }
  | { readonly kind: 'some'; readonly texts: readonly string[] };
type Brushes = ReadonlyMap<string, Brush>;

/** `column=low~high`, or `column=,text,text`. */
export const brushesCodec: Codec<Brushes> = codecs.byTag<Brush>(
  (text) => {
    if (text.startsWith(',')) {
      const texts = text
        .slice(1)
        .split(',')
        .map(codecs.decoded)
        .filter((one) => one !== null);
      return texts.length > 0 ? { kind: 'some', texts } : null;
    }
    const [low = NaN, high = NaN] = text.split('~').map(Number);
    return low <= high ? { kind: 'range', low, high } : null;
  },
  (brush) =>
    brush.kind === 'range'
      ? `${brush.low}~${brush.high}`
      : brush.texts.map((text) => `,${codecs.encoded(text)}`).join(''),
);

/** Takes out of `mask` (1: in) the rows that a brush leaves out. Brushes of columns that are not there do nothing. */
export function applyBrushes(frame: Frame, brushes: Brushes, mask: Uint8Array): void {
  for (const [name, brush] of brushes) {
    const column = frame.columns.get(name);
    if (!column) continue;
    if (brush.kind === 'range') {
      const { numbers } = column;
      const { low, high } = brush;
      for (let row = 0; row < mask.length; row++) {
        const value = numbers[row] as number;
        if (!(value >= low && value <= high)) mask[row] = 0;
      }
    } else {
      const { codes, texts } = column;
      const inside = Uint8Array.from(texts, (text) => (brush.texts.includes(text) ? 1 : 0));
      for (let row = 0; row < mask.length; row++) if (!inside[codes[row] as number]) mask[row] = 0;
    }
  }
}

/** The same as conditions of `filter=` (docs/http_api.md). */
export function conditionsOf(
  frame: Frame,
  brushes: Brushes,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const conditions: Record<string, Record<string, unknown>> = {};
  for (const [name, brush] of brushes) {
    const column = frame.columns.get(name);
    if (!column) continue;
    if (brush.kind === 'some') conditions[name] = { in: valuesOf(column, new Set(brush.texts)) };
    else if (column.isTextual) conditions[name] = { in: valuesWithin(column, brush.low, brush.high) };
    else conditions[name] = { ge: brush.low, le: brush.high };
  }
  return conditions;
}

/** Values that read as one of these texts: several numbers may read alike. */
function valuesOf({ texts, codes, values }: Column, wanted: ReadonlySet<string>): Value[] {
  const inside = texts.map((text) => wanted.has(text));
  return [...new Set(values.filter((_, row) => inside[codes[row] as number]))];
}

/** Values from `low` to `high` as they were recorded: the host does not compare texts with numbers. */
function valuesWithin({ numbers, values }: Column, low: number, high: number): Value[] {
  return [...new Set(values.filter((_, row) => (numbers[row] as number) >= low && (numbers[row] as number) <= high))];
}

const SETTLE = 250; // ms without a move before the URL says it

/** What the user has brushed, by column. */
export class Brushing {
  readonly all: Setting<Brushes>;

  constructor(page: Page) {
    this.all = page.setting('brush', brushesCodec, SETTLE);
  }

  set(name: string, brush: Brush | null): void {
    const next = new Map(this.all.value);
    if (brush) next.set(name, brush);
    else next.delete(name);
    this.all.set(next);
  }

  clear(): void {
    this.all.set(new Map());
  }
}
