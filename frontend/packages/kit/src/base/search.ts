/**
 * Searches names by regular expressions, which come from links and logs, too: the engine of JavaScript goes back and
 * may never end. What surely ends soon is searched at once, the rest by a worker whose time is limited.
 */
import { signal, type ReadonlySignal } from '@preact/signals';

/** Tells whether a regular expression is found in a name; of what a worker searches, nothing is until it answers. */
export interface Searcher {
  (name: string): boolean;
  /** The worker took too long: what it should search is not found. */
  readonly isSlow: ReadonlySignal<boolean>;
}

const PATIENCE = 1000; // ms for the names that are asked for at once
const STEPS = 1e7; // of the engine in one name that is searched at once: some 50 ms
const SPENT = 200; // ms of such searches, after which the worker has the rest
const WORK = `onmessage = ({ data: [source, flags, names] }) => {
  const pattern = new RegExp(source, flags);
  postMessage(names.map((name) => pattern.test(name)));
};`;

/** A function that searches names. With the flag `i` it ignores case. Raises SyntaxError. */
export function searcher(pattern: string, flags: '' | 'i' = ''): Searcher {
  const native = natively(pattern, flags);
  const steps = stepsOf(pattern);
  const isSlow = signal(false);
  const later = byWorker(native, isSlow);
  const known = new Map<string, boolean>();
  let spent = 0;
  const search = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (spent > SPENT || steps(name.length) > STEPS) return later(name);
    const begun = performance.now();
    const found = native.test(name);
    spent += performance.now() - begun;
    known.set(name, found);
    return found;
  };
  return Object.assign(search, { isSlow });
}

/**
 * Python allows escapes that JavaScript allows without the flag `u` only. Browsers that do not know flags of groups
 * take them for the whole.
 */
function natively(source: string, flags: string): RegExp {
  const all = [...new Set(flags + [...source.matchAll(/\(\?([ims]+)(?:-[ims]+)?:/g)].map(([, own]) => own).join(''))];
  const plain = source.replace(/\(\?[ims]*(?:-[ims]+)?:/g, '(?:');
  for (const [text, mode] of [
    [source, `${flags}u`],
    [source, flags],
    [plain, `${all.join('')}u`],
  ] as const)
    try {
      return new RegExp(text, mode);
    } catch {
      // the next, which allows more
    }
  return new RegExp(plain, all.join(''));
}

/**
 * The most steps that the engine takes in a name of some length: each repetition ends at any character, each choice has
 * two ways. What repeats a group may take it to the end of time, what refers to one is not looked into.
 */
function stepsOf(pattern: string): (length: number) => number {
  const text = pattern.replace(/\[(?:\\[^]|[^\\\]])*\]/g, '.');
  if (/\)(?:[*+]|\{\d)|\\[1-9k]/.test(text)) return () => Infinity;
  const repeats = text.match(/(?<!\\)(?:[*+]|\{\d)/g)?.length ?? 0;
  const choices = text.match(/(?<!\\)[?|]/g)?.length ?? 0;
  return (length) => {
    let steps = 2 ** choices;
    for (let n = 1; n <= repeats + 1; n++) steps *= (length + n) / n;
    return steps;
  };
}

/** Searches names in workers, all those of one moment in one. */
function byWorker({ source, flags }: RegExp, isSlow: { value: boolean }): (name: string) => boolean {
  const known = signal<ReadonlyMap<string, boolean>>(new Map());
  const waiting = new Set<string>();
  const begin = (): void => {
    const names = [...waiting];
    const address = URL.createObjectURL(new Blob([WORK], { type: 'text/javascript' }));
    let worker: Worker | null = null;
    const end = (found: readonly boolean[] | null): void => {
      clearTimeout(timer);
      worker?.terminate();
      URL.revokeObjectURL(address);
      for (const name of names) waiting.delete(name);
      if (waiting.size > 0) queueMicrotask(begin);
      if (!found) isSlow.value = true;
      else known.value = new Map([...known.value, ...names.map((name, at) => [name, found[at] === true] as const)]);
    };
    const timer = setTimeout(() => end(null), PATIENCE);
    try {
      worker = new Worker(address);
      worker.onmessage = ({ data }) => end(data as readonly boolean[]);
      worker.onerror = () => end(null);
      worker.postMessage([source, flags, names]);
    } catch {
      end(null); // a page without workers
    }
  };
  return (name) => {
    const found = known.value.get(name);
    if (found !== undefined || isSlow.value) return found ?? false;
    if (waiting.size === 0) queueMicrotask(begin);
    waiting.add(name);
    return false;
  };
}
