/**
 * How the values of a tensor are written: in cells, with the digits that people ask for, and in full where they are
 * copied.
 */
export type Kind = 'float' | 'integer' | 'bool' | 'complex' | 'string';

export interface Format {
  /** Decimal places. */
  readonly digits: number;
  readonly notation: 'fixed' | 'scientific';
}

export const MOST_DIGITS = 10;
const LARGE = 1e9; // from which a number without an exponent is too wide for a cell
const MINUS = '\u2212';

/** What one cell holds; a string has no number. */
export interface Value {
  readonly real: number | bigint;
  readonly imaginary?: number;
  readonly text?: string;
}

/** As a cell shows it. */
export function cellText(value: Value, kind: Kind, format: Format): string {
  if (value.text !== undefined) return value.text.replace(/\r\n|\r|\n/g, ' ↵ ');
  if (kind === 'bool') return boolText(value.real);
  if (kind === 'integer' && format.notation === 'fixed' && isWhole(value.real)) return minus(String(value.real));
  const real = numberText(Number(value.real), format);
  if (value.imaginary === undefined) return real;
  const imaginary = numberText(value.imaginary, format);
  const sign = /^[+\u2212]/.test(imaginary) ? '' : '+';
  return `${real}${sign}${imaginary}i`;
}

/** In full, for other programs: a float32 with as many digits as tell it from its neighbours. */
export function exactText(value: Value, kind: Kind, single: boolean): string {
  if (value.text !== undefined) return value.text;
  if (kind === 'bool') return boolText(value.real);
  if (typeof value.real === 'bigint') return String(value.real);
  const real = plainText(value.real, single);
  if (value.imaginary === undefined) return real;
  const imaginary = plainText(value.imaginary, single);
  return `${real}${imaginary.startsWith('-') ? '' : '+'}${imaginary}j`;
}

/** The shortest decimal that reads back as the same float32. */
export function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

function plainText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0';
  return single ? shortest(value) : String(value);
}

function numberText(value: number, { digits, notation }: Format): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : `${MINUS}Inf`;
  const exponent = notation === 'scientific' || Math.abs(value) >= LARGE;
  return minus(exponent ? value.toExponential(digits).replace('e+', 'e') : value.toFixed(digits));
}

function isWhole(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 1e21);
}

function boolText(value: number | bigint): string {
  return Number(value) === 0 ? 'false' : Number(value) === 1 ? 'true' : String(value);
}

function minus(text: string): string {
  return text.replaceAll('-', MINUS);
}

/** Type and shape of a tensor: `float32 [3, 4]`. */
export function shapeText(dtype: string, shape: readonly number[]): string {
  return `${dtype} [${shape.join(', ')}]`;
}
