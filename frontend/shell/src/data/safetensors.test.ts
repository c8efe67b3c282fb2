import { describe, expect, it } from 'vitest';
import { decodeSafetensors, MalformedColumns } from './safetensors';

interface Part {
  readonly name: string;
  readonly dtype: string;
  readonly bytes: Uint8Array;
  readonly size: number;
}
const f32 = (name: string, values: number[]): Part => ({
  name,
  dtype: 'F32',
  bytes: new Uint8Array(new Float32Array(values).buffer),
  size: 4,
});
const f64 = (name: string, values: number[]): Part => ({
  name,
  dtype: 'F64',
  bytes: new Uint8Array(new Float64Array(values).buffer),
  size: 8,
});
const i64 = (name: string, values: bigint[]): Part => ({
  name,
  dtype: 'I64',
  bytes: new Uint8Array(new BigInt64Array(values).buffer),
  size: 8,
});

function encode(parts: readonly Part[], metadata?: Record<string, string>, pad = 0): ArrayBuffer {
  const header: Record<string, unknown> = metadata ? { __metadata__: metadata } : {};
  let at = 0;
  for (const { name, dtype, bytes, size } of parts) {
    header[name] = { dtype, shape: [bytes.length / size], data_offsets: [at, at + bytes.length] };
    at += bytes.length;
  }
  let text = JSON.stringify(header);
  text += ' '.repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8) + ' '.repeat(pad);
  const head = new TextEncoder().encode(text);
  const out = new Uint8Array(8 + head.length + at);
  new DataView(out.buffer).setBigUint64(0, BigInt(head.length), true);
  out.set(head, 8);
  let to = 8 + head.length;
  for (const { bytes } of parts) {
    out.set(bytes, to);
    to += bytes.length;
  }
  return out.buffer;
}

describe('safetensors', () => {
  it('gives views on the answer, without copying', () => {
    const bytes = encode(
      [i64('0.steps', [1n, -2n, 2n ** 60n]), f64('0.wall_times', [1.5, Number.NaN]), f32('0.values', [Infinity, 2])],
      { series: '[]' },
    );
    const columns = decodeSafetensors(bytes);
    expect(columns.metadata).toEqual({ series: '[]' });
    expect(columns.names).toEqual(['0.steps', '0.wall_times', '0.values']);
    expect([...columns.column('0.steps')]).toEqual([1n, -2n, 2n ** 60n]);
    expect([...columns.column('0.wall_times')]).toEqual([1.5, Number.NaN]);
    expect([...columns.column('0.values')]).toEqual([Infinity, 2]);
    expect(columns.column('0.values').buffer).toBe(bytes);
  });

  it('copies columns that do not begin where their type can', () => {
    const odd = f32('a', [1]); // four bytes, so that the eight-byte column behind it is misaligned
    const columns = decodeSafetensors(encode([odd, f64('b', [3.25]), i64('c', [7n])]));
    expect([...columns.column('b')]).toEqual([3.25]);
    expect([...columns.column('c')]).toEqual([7n]);
    expect([...decodeSafetensors(encode([f64('b', [3.25])], undefined, 3)).column('b')]).toEqual([3.25]);
  });

  it('reads empty columns and answers without any', () => {
    expect(decodeSafetensors(encode([f32('a', [])])).column('a')).toHaveLength(0);
    expect(decodeSafetensors(encode([])).names).toEqual([]);
  });

  it('refuses an answer that was cut off, at every length', () => {
    const whole = encode([i64('steps', [1n, 2n]), f32('values', [1, 2])], { series: '训练' });
    for (let length = 0; length < whole.byteLength; length++) {
      expect(() => decodeSafetensors(whole.slice(0, length)), `${length} bytes`).toThrow(MalformedColumns);
    }
  });

  it('refuses lies in the header', () => {
    const lie = (header: unknown): ArrayBuffer => {
      const text = new TextEncoder().encode(JSON.stringify(header));
      const out = new Uint8Array(8 + text.length + 8);
      new DataView(out.buffer).setBigUint64(0, BigInt(text.length), true);
      out.set(text, 8);
      return out.buffer;
    };
    for (const header of [
      { a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } },
      { a: { dtype: 'F32', shape: [2], data_offsets: [-8, 0] } },
      { a: { dtype: 'BF16', shape: [4], data_offsets: [0, 8] } },
      { a: { dtype: 'F32', shape: [40], data_offsets: [0, 160] } },
      { a: 5 },
      null,
    ]) {
      expect(() => decodeSafetensors(lie(header)), JSON.stringify(header)).toThrow(MalformedColumns);
    }
    expect(() => decodeSafetensors(encode([])).column('nowhere')).toThrow('nowhere');
  });

  it('reads numbers of 16 bits', () => {
    const bytes = new Uint8Array(Uint16Array.of(1, 65535).buffer);
    const found = decodeSafetensors(encode([{ name: 'deltas', dtype: 'U16', bytes, size: 2 }]));
    expect([...found.column('deltas')]).toEqual([1, 65535]);
  });
});
