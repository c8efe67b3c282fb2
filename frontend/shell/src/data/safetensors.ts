/** Reads the safetensors layout: u64 header length, JSON header, little-endian buffers. */
import type { Columns } from '@insight-host/api';

export type { Columns };
type Column = ReturnType<Columns['column']>;
type Constructor = {
  new (buffer: ArrayBuffer, offset: number, length: number): Column;
  readonly BYTES_PER_ELEMENT: number;
};

const TYPES: Readonly<Record<string, Constructor>> = {
  F32: Float32Array,
  F64: Float64Array,
  I32: Int32Array,
  I64: BigInt64Array,
  U16: Uint16Array,
  U8: Uint8Array,
};

/** Bytes that are not a safetensors answer. */
export class MalformedColumns extends Error {
  override readonly name = 'MalformedColumns';
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { dtype, shape, data_offsets: offsets } = value as Partial<Entry>;
  return typeof dtype === 'string' && Array.isArray(shape) && Array.isArray(offsets) && offsets.length === 2;
}

function parseHeader(bytes: ArrayBuffer): { header: Record<string, unknown>; start: number } {
  if (bytes.byteLength < 8) throw new MalformedColumns(`the answer is cut off: ${bytes.byteLength} bytes`);
  const length = new DataView(bytes).getBigUint64(0, true);
  if (length > BigInt(bytes.byteLength - 8)) {
    throw new MalformedColumns(`the answer is cut off: a header of ${length} bytes in ${bytes.byteLength}`);
  }
  const start = 8 + Number(length);
  try {
    const header: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes, 8, start - 8)),
    );
    if (typeof header === 'object' && header !== null) return { header: header as Record<string, unknown>, start };
  } catch (cause) {
    throw new MalformedColumns(`the header is not JSON: ${String(cause)}`);
  }
  throw new MalformedColumns('the header is not a JSON object');
}

export function decodeSafetensors(bytes: ArrayBuffer): Columns {
  const { header, start } = parseHeader(bytes);
  const metadata = (header['__metadata__'] ?? {}) as Record<string, string>;
  const columns = new Map<string, Column>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (!isEntry(entry)) throw new MalformedColumns(`column ${name}: malformed header entry`);
    const type = TYPES[entry.dtype];
    if (!type) throw new MalformedColumns(`column ${name}: type ${entry.dtype} is not known`);
    const [from, to] = entry.data_offsets;
    const size = entry.shape.reduce((product, side) => product * side, 1) * type.BYTES_PER_ELEMENT;
    if (!Number.isSafeInteger(from) || from < 0 || to - from !== size) {
      throw new MalformedColumns(`column ${name}: ${to - from} bytes for a shape of ${size}`);
    }
    if (start + to > bytes.byteLength) throw new MalformedColumns(`the answer is cut off in column ${name}`);
    const length = size / type.BYTES_PER_ELEMENT;
    // A typed array must begin at a multiple of its element size; a writer need not have padded for that.
    columns.set(
      name,
      (start + from) % type.BYTES_PER_ELEMENT === 0
        ? new type(bytes, start + from, length)
        : new type(bytes.slice(start + from, start + to), 0, length),
    );
  }
  return {
    metadata,
    names: [...columns.keys()],
    column: (name) => {
      const column = columns.get(name);
      if (!column) throw new MalformedColumns(`missing column ${name}`);
      return column;
    },
  };
}
