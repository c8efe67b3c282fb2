/** The answer of the route `map`, decoded. */
import type { Columns } from '@insight-host/api';
import { floats } from '@insight-host/kit';

export const VIEWS = ['layers', 'ranks', 'matrix'] as const;
export type View = (typeof VIEWS)[number];
export const MEASURES = ['size', 'nonfinite', 'mean', 'std', 'zeros', 'dead', 'ratio'] as const;
export type Measure = (typeof MEASURES)[number];
export const KINDS = ['all', 'weight', 'gradient', 'activation', 'update', 'other'] as const;
export type Kind = (typeof KINDS)[number];

/** Flags of a cell: what is not finite in one of its records. */
const NAN = 1;
const POS_INF = 2;
const NEG_INF = 4;

interface Layer {
  readonly id: string;
  readonly name: string;
  readonly kind: Kind;
}

export interface Fault {
  readonly run: string;
  /** Its id. */
  readonly layer: string;
  readonly name: string;
  readonly kind: Kind;
  readonly fault: 'nonfinite' | 'dead' | 'exploding' | 'vanishing' | 'unchanged';
  readonly severity: 'error' | 'warning' | 'hint';
  readonly step: number;
  readonly value: number;
  readonly usual: number | null;
  /** What is not finite, or how a layer is dead. */
  readonly word: string;
  /** The fault of another layer explains this one. */
  readonly follows: boolean;
  /** A series that tells about the layer. */
  readonly source: { readonly plugin: string; readonly tag: string };
}

interface Said {
  readonly view: View;
  readonly measure: Measure;
  readonly layers: readonly Layer[];
  /** Layers beyond those. */
  readonly more: number;
  /** Layers that a map of ranks can be of. */
  readonly choices: readonly Layer[];
  /** Those that are drawn. */
  readonly runs: readonly string[];
  /** Those that have layers. */
  readonly all_runs: readonly string[];
  readonly measures: readonly Measure[];
  readonly kinds: readonly { readonly kind: Kind; readonly layers: number }[];
  /** How many steps one of the rows has. */
  readonly steps: number;
  /** The places among these steps that the columns show. */
  readonly begin: number;
  readonly end: number;
  readonly columns: number;
  readonly records: number;
  readonly read: number;
  readonly unreadable: number;
  readonly faults: readonly Fault[];
  readonly more_faults: number;
}

/** Cells of rows and columns; a row is a layer or a run, a column some steps or a run. */
export interface HeatMap extends Said {
  readonly rows: number;
  /** [rows, columns], NaN where nothing is known. */
  readonly numbers: Float32Array;
  readonly flags: Uint8Array;
  /** The place of the run that has the number, from 1; 0 without one. */
  readonly whose: Uint16Array;
  /** First and last step of each column of steps. */
  readonly firsts: Float64Array;
  readonly lasts: Float64Array;
}

export function mapOf(columns: Columns): HeatMap {
  const said = JSON.parse(columns.metadata['map'] ?? '{}') as Said;
  const numbers = columns.column('numbers') as Float32Array;
  return {
    ...said,
    rows: said.view === 'ranks' ? said.runs.length : said.layers.length,
    numbers,
    flags: columns.column('flags') as Uint8Array,
    whose: columns.column('whose') as Uint16Array,
    firsts: floats(columns.column('firsts')),
    lasts: floats(columns.column('lasts')),
  };
}

/** The layer of a cell; undefined where the row is of all layers. */
export function layerAt(map: HeatMap, row: number): Layer | undefined {
  return map.view === 'ranks' ? (map.layers.length === 1 ? map.layers[0] : undefined) : map.layers[row];
}

/** The run of a cell: that of its row or column, the only one, or the one whose number is shown. */
export function runAt(map: HeatMap, row: number, column: number): string | undefined {
  if (map.view === 'ranks') return map.runs[row];
  if (map.view === 'matrix') return map.runs[column];
  if (map.runs.length === 1) return map.runs[0];
  return map.runs[(map.whose[row * map.columns + column] ?? 0) - 1];
}

/** Words for flags. */
export function flagWords(flags: number): string {
  const words = [
    [NAN, 'NaN'],
    [POS_INF, '+Inf'],
    [NEG_INF, '−Inf'],
  ] as const;
  return words
    .filter(([flag]) => (flags & flag) !== 0)
    .map(([, word]) => word)
    .join(', ');
}
