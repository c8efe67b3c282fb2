/**
 * Tells whether regular expressions match, in time that is bounded by the length of pattern and text: the engine of
 * JavaScript goes back and may never end, and patterns come from links and logs.
 *
 * All ways through a pattern are followed at the same time (Thompson, 1968), so there are no references to groups.
 * The engine of JavaScript, which is faster, searches short texts for patterns that cannot go back often.
 */

const MOST = 2000; // steps of a program
const NATIVE = 100_000; // ways through a text that the engine of JavaScript may try

/** A part of a regular expression that cannot be followed in bounded time. */
export class UnsupportedPattern extends Error {
  constructor(
    readonly part: string,
    readonly why: 'reference' | 'long',
  ) {
    super(why === 'long' ? 'the pattern is too long' : `references to groups are not supported: ${part}`);
  }
}

type Assertion = (text: readonly string[], at: number) => boolean;
/** A step takes a character, holds at a place, goes on at several steps, or is the end of the program. */
type Step =
  | { readonly takes: (char: string) => boolean; readonly next: number }
  | { readonly holds: Assertion; readonly next: number }
  | { readonly ways: readonly number[] }
  | null;
/** Puts a part in front of the step `next`, and returns its first step. */
type Part = (program: Program, next: number) => number;

class Program {
  private readonly steps: Step[] = [null];
  private readonly first: number;

  constructor(part: Part) {
    this.first = part(this, 0);
  }

  add(step: Step): number {
    if (this.steps.length >= MOST) throw new UnsupportedPattern(String(MOST), 'long');
    return this.steps.push(step) - 1;
  }

  set(place: number, step: Step): void {
    this.steps[place] = step;
  }

  /** Whether it matches from `from`, or from there on; up to `to`, or up to anywhere. */
  matches(text: readonly string[], from: number, isAnchored: boolean, to: number | null): boolean {
    let waiting: number[] = [];
    for (let at = from; at <= (to ?? text.length); at++) {
      if (!isAnchored || at === from) waiting.push(this.first);
      if (waiting.length === 0) return false;
      const seen = new Set<number>();
      const taken: number[] = [];
      for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
        if (seen.has(place)) continue;
        seen.add(place);
        const step = this.steps[place];
        if (!step) {
          if (to === null || at === to) return true;
        } else if ('ways' in step) waiting.push(...step.ways);
        else if ('holds' in step) {
          if (step.holds(text, at)) waiting.push(step.next);
        } else if (at < text.length && step.takes(text[at] as string)) taken.push(step.next);
      }
      waiting = taken;
    }
    return false;
  }
}

/**
 * A function that tells whether a regular expression is found in a text. With the flag `i` it ignores case. Raises
 * SyntaxError and UnsupportedPattern.
 */
export function searcher(pattern: string, flags: '' | 'i' = ''): (text: string) => boolean {
  const native = natively(pattern.replace(/\(\?(?=[ims-]+:)[ims]*(?:-[ims]+)?:/g, '(?:'), flags);
  const program = new Program(new Reader(pattern).whole(flags));
  const longest = nativeLength(pattern);
  return (text) => (text.length <= longest ? native.test(text) : program.matches([...text], 0, false, null));
}

/**
 * The longest text in which the engine of JavaScript tries at most NATIVE ways: each place where it can go back has at
 * most as many choices as the text has characters, unless a group is repeated or looks around. -1: not even the
 * empty text.
 */
function nativeLength(pattern: string): number {
  if (/\)[*+?{]|\(\?/.test(pattern)) return -1;
  const choices = pattern.match(/[*+?{|]/g)?.length ?? 0;
  const longest = Math.floor(NATIVE ** (1 / (choices + 1)));
  return longest > 1 ? longest : -1; // of so many parts even the empty text is tried in too many ways
}

/** Python allows escapes that JavaScript allows without the flag `u` only. */
function natively(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return new RegExp(source, flags);
  }
}

const ATOM = /\\(?:x[\da-f]{2}|u\{[\da-f]+\}|u[\da-f]{4}|c[a-z]|p\{[^}]*\}|k<[^>]*>|[^])|\[(?:\\[^]|[^\\\]])*\]|[^]/iuy;
const GROUP = /\(\?(?:(?<look><?[=!])|(?<flags>[ims]*(?:-[ims]+)?):|<[^>]*>)/uy;
const COUNT = /(?:[*+?]|\{(?<least>\d+)(?<more>,(?<most>\d*))?\})\??/uy;

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);
const edge: Assertion = (text, at) => isWord(text[at - 1]) !== isWord(text[at]);

const holds =
  (assertion: Assertion): Part =>
  (program, next) =>
    program.add({ holds: assertion, next });

/** Reads a pattern whose syntax is known to be valid. */
class Reader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  whole(flags: string): Part {
    return this.choice(flags);
  }

  private take(expected: RegExp): RegExpExecArray | null {
    expected.lastIndex = this.at;
    const found = expected.exec(this.pattern);
    if (found) this.at = expected.lastIndex;
    return found;
  }

  private choice(flags: string): Part {
    const choices = [this.sequence(flags)];
    while (this.pattern[this.at] === '|') {
      this.at += 1;
      choices.push(this.sequence(flags));
    }
    return (program, next) => program.add({ ways: choices.map((one) => one(program, next)) });
  }

  private sequence(flags: string): Part {
    const parts: Part[] = [];
    while (this.at < this.pattern.length && !'|)'.includes(this.pattern[this.at] as string))
      parts.push(this.counted(flags));
    return (program, next) => parts.reduceRight((end, part) => part(program, end), next);
  }

  private counted(flags: string): Part {
    const part = this.pattern[this.at] === '(' ? this.group(flags) : this.atom(flags);
    const count = this.take(COUNT);
    if (!count) return part;
    const { least, more, most } = count.groups ?? {};
    if (least === undefined) return times(part, count[0].startsWith('+') ? 1 : 0, count[0].startsWith('?') ? 1 : null);
    return times(part, Number(least), more === undefined ? Number(least) : most ? Number(most) : null);
  }

  private group(flags: string): Part {
    const kind = this.take(GROUP);
    if (!kind) this.at += 1;
    const { look, flags: changed } = kind?.groups ?? {};
    const inside = this.choice(changed === undefined ? flags : withFlags(flags, changed));
    this.at += 1; // its end
    if (look === undefined) return inside;
    const program = new Program(inside);
    const isBehind = look.startsWith('<');
    const isWanted = look.endsWith('=');
    const found = eachOnce((text, at) =>
      isBehind ? program.matches(text, 0, false, at) : program.matches(text, at, true, null),
    );
    return holds((text, at) => found(text, at) === isWanted);
  }

  private atom(flags: string): Part {
    const [source] = this.take(ATOM) as RegExpExecArray;
    const isMultiline = flags.includes('m');
    if (source === '^') return holds((text, at) => at === 0 || (isMultiline && text[at - 1] === '\n'));
    if (source === '$') return holds((text, at) => at === text.length || (isMultiline && text[at] === '\n'));
    if (source === String.raw`\b`) return holds(edge);
    if (source === String.raw`\B`) return holds((text, at) => !edge(text, at));
    if (/^\\[1-9k]/.test(source)) throw new UnsupportedPattern(source, 'reference');
    const test = natively(`^(?:${/^[\]{}]$/.test(source) ? `\\${source}` : source})$`, flags.replace('m', ''));
    return (program, next) => program.add({ takes: (char) => test.test(char), next });
  }
}

/** A part `least` to `most` times, or for ever. */
function times(part: Part, least: number, most: number | null): Part {
  return (program, next) => {
    let end = next;
    if (most === null) {
      const loop = program.add(null);
      program.set(loop, { ways: [part(program, loop), next] });
      end = loop;
    } else for (let n = least; n < most; n++) end = program.add({ ways: [part(program, end), next] });
    for (let n = 0; n < least; n++) end = part(program, end);
    return end;
  };
}

/** Flags after a change as `i-s`. */
function withFlags(flags: string, change: string): string {
  const [more = '', fewer = ''] = change.split('-');
  return [...new Set(flags + more)].filter((flag) => !fewer.includes(flag)).join('');
}

/** An assertion that is looked up once for each place of a text: those within others would multiply. */
function eachOnce(assertion: Assertion): Assertion {
  let last: readonly string[] | null = null;
  let known: (boolean | undefined)[] = [];
  return (text, at) => {
    if (text !== last) [last, known] = [text, []];
    return (known[at] ??= assertion(text, at));
  };
}
