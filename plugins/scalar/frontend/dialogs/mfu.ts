/**
 * MFU as a computed series: 6 operations for each parameter and token (forward and backward pass, without attention and
 * without what is computed again), over what the devices can do; see docs/words.md.
 */
import { quoted } from '../derived';

const OF_A_PARAMETER = 6; // operations a token: 2 forward, 4 backward
const TERA = 1e12;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const TOKENS = new Set(['tok', 'toks', 'token', 'tokens']);
const SECOND = new Set(['s', 'sec', 'secs', 'second', 'seconds', 'throughput']);
const COUNT = new Set(['total', 'seen', 'num', 'n', 'count', 'consumed', 'processed', 'cumulative']);
const HELD_OUT = new Set(['val', 'valid', 'validation', 'eval', 'evaluation', 'test', 'dev', 'heldout']);
const PARAMETERS =
  /^(n_?|num_?|number_of_?)?(model_?)?(total_?)?(trainable_?)?param(eter)?s?(_?count|_?total|_?num)?$/i;

/** What a tag says of tokens: how many a second (`rate`), or how many so far (`count`); null: neither. */
export type TokenTag = 'rate' | 'count';

export function tokensOf(tag: string): TokenTag | null {
  const words = new Set((tag.match(WORDS) ?? []).map((word) => word.toLowerCase()));
  const has = (some: ReadonlySet<string>): boolean => [...words].some((word) => some.has(word));
  if (has(HELD_OUT)) return null;
  if (words.has('tps') || (has(TOKENS) && has(SECOND))) return 'rate';
  const last = (tag.split('/').at(-1) ?? tag).toLowerCase();
  return last === 'tokens' || (has(TOKENS) && has(COUNT)) ? 'count' : null;
}

/** Tags that tell of tokens, those of tokens a second first. */
export function tokenTags(tags: Iterable<string>): readonly string[] {
  const found = [...tags].filter((tag) => tokensOf(tag) !== null);
  return [...found.filter((tag) => tokensOf(tag) === 'rate'), ...found.filter((tag) => tokensOf(tag) === 'count')];
}

/** Whether a column of the run table is the number of parameters of a model. */
export const isParameters = (name: string): boolean => PARAMETERS.test(name.split(/[/.]/).at(-1) ?? name);

export interface MfuParts {
  readonly tag: string;
  readonly kind: TokenTag;
  /** Of the model. */
  readonly parameters: number;
  /** TFLOP/s of a device with the type that is multiplied. */
  readonly peak: number;
  readonly devices: number;
}

/** The expression; null while a number is missing. */
export function mfuExpression({ tag, kind, parameters, peak, devices }: MfuParts): string | null {
  if (!tag || ![parameters, peak, devices].every((value) => Number.isFinite(value) && value > 0)) return null;
  const rate = kind === 'rate' ? quoted(tag) : `diff(${quoted(tag)}) / diff(wall)`;
  return `${OF_A_PARAMETER} * ${parameters} * ${rate} / (${devices} * ${peak * TERA})`;
}

const SIZES: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, b: 1e9, g: 1e9, t: 1e12 };

/** `124M`, `1.3e9` or `7B` as a number; NaN for anything else. */
export function parametersOf(text: string): number {
  const [, digits, unit] = /^\s*(\d+(?:\.\d*)?(?:e\+?\d+)?)\s*([kmbgt]?)\s*$/i.exec(text) ?? [];
  return digits === undefined ? NaN : Number(digits) * (SIZES[(unit ?? '').toLowerCase()] ?? NaN);
}
