import type { Columns } from '@insight-host/api';

/** A column as numbers. Integers beyond 2^53 are rounded for display; exports are exact. */
export function floats(column: ReturnType<Columns['column']>): Float64Array {
  if (column instanceof Float64Array) return column;
  if (!(column instanceof BigInt64Array)) return new Float64Array(column);
  const out = new Float64Array(column.length);
  for (let i = 0; i < out.length; i++) out[i] = Number(column[i]);
  return out;
}
