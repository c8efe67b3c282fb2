/** Values of a slice as they arrive: what the slice is as a whole, and blocks of it. */
import type { Columns } from '@insight-host/api';
import type { Area } from '@insight-host/kit/table';
import type { Kind, Value } from './numbers';

/** The places of one dimension that are shown. */
interface OpenRange {
  readonly dimension: number;
  readonly start: number;
  readonly stop: number;
}

/** Describes a slice of one record, whether or not all its values are here. */
export interface Sheet {
  readonly dtype: string;
  readonly kind: Kind;
  readonly shape: readonly number[];
  /** The slice, as the server writes it. */
  readonly slice: string;
  /** The ranges: none for one value, of a vector its places, of a matrix rows and columns. */
  readonly open: readonly OpenRange[];
  readonly rows: number;
  readonly columns: number;
}

/** Values of an area. */
export class Block {
  private readonly width: number;

  constructor(
    readonly area: Area,
    private readonly real: ArrayLike<number | bigint>,
    private readonly imaginary: ArrayLike<number> | null,
    private readonly texts: readonly string[] | null,
    /** The numbers are float32. */
    readonly single: boolean,
  ) {
    this.width = area.columnEnd - area.column;
  }

  has(row: number, column: number): boolean {
    const { area } = this;
    return row >= area.row && row < area.rowEnd && column >= area.column && column < area.columnEnd;
  }

  at(row: number, column: number): Value {
    const place = (row - this.area.row) * this.width + column - this.area.column;
    if (this.texts) return { real: NaN, text: this.texts[place] ?? '' };
    const real = this.real[place] ?? NaN;
    return this.imaginary ? { real, imaginary: this.imaginary[place] ?? NaN } : { real };
  }
}

/** An answer of `/values`. */
export interface Values {
  readonly sheet: Sheet;
  readonly block: Block;
  /** Less than was asked for: an answer has at most so many values. */
  readonly bounded: boolean;
  /** How many texts are longer than what is here of them. */
  readonly cut: number;
}

export function decodeValues(columns: Columns): Values {
  const said = JSON.parse(columns.metadata['tensor'] ?? '{}') as Sheet & {
    given: OpenRange[];
    texts?: unknown;
    bounded: boolean;
    cut?: number;
  };
  const { dtype, kind, shape, slice, open, given } = said;
  const sheet: Sheet = { dtype, kind, shape, slice, open, rows: lengthOf(open[0]), columns: lengthOf(open[1]) };
  const [row, rowEnd] = placesOf(open[0], given[0]);
  const [column, columnEnd] = placesOf(open[1], given[1]);
  const texts = said.texts === undefined ? null : [said.texts].flat(2).map(String);
  const complex = columns.names.includes('real');
  const real = texts ? [] : columns.column(complex ? 'real' : 'values');
  const imaginary = complex ? (columns.column('imaginary') as Float32Array | Float64Array) : null;
  const unsigned =
    dtype === 'uint64' && real instanceof BigInt64Array
      ? new BigUint64Array(real.buffer, real.byteOffset, real.length)
      : real;
  const block = new Block({ row, rowEnd, column, columnEnd }, unsigned, imaginary, texts, real instanceof Float32Array);
  return { sheet, block, bounded: said.bounded, cut: said.cut ?? 0 };
}

function lengthOf(range: OpenRange | undefined): number {
  return range ? range.stop - range.start : 1;
}

function placesOf(open: OpenRange | undefined, given: OpenRange | undefined): readonly [number, number] {
  return open && given ? [given.start - open.start, given.stop - open.start] : [0, 1];
}

export function covers(blocks: readonly Block[], area: Area): boolean {
  return (
    area.row >= area.rowEnd ||
    area.column >= area.columnEnd ||
    blocks.some(
      ({ area: a }) =>
        a.row <= area.row && a.rowEnd >= area.rowEnd && a.column <= area.column && a.columnEnd >= area.columnEnd,
    )
  );
}

/** Returns the ranges to ask for to show an area: as much again on each side, within the sheet and so many values. */
export function around(
  area: Area,
  { rows, columns }: { readonly rows: number; readonly columns: number },
  most: number,
): Area {
  const high = area.rowEnd - area.row;
  const wide = area.columnEnd - area.column;
  const margin = high * wide * 9 <= most ? 1 : 0;
  return {
    row: Math.max(0, area.row - margin * high),
    rowEnd: Math.min(rows, area.rowEnd + margin * high),
    column: Math.max(0, area.column - margin * wide),
    columnEnd: Math.min(columns, area.columnEnd + margin * wide),
  };
}
