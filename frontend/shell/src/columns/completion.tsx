/** Helps to write an expression: suggests how it may go on, and says what is wrong with it. */
import { computed, effect, signal, untracked } from '@preact/signals';
import type { Cell } from '@insight-host/api';
import { getJson } from '../data/http';
import { usePage } from '../state/page';
import type { RunColumns } from './run_columns';
import { comparisonsFor, corrected, namesFor, type Suggestion, typedValue, valuesFor } from './suggestions';
import { words } from './run_columns';

type ReadCells = (key: string) => Promise<readonly Cell[]>;

async function cellsOf(key: string): Promise<readonly Cell[]> {
  interface Answer {
    readonly columns: readonly { readonly values: readonly (Cell | null)[] }[];
  }
  const { columns } = await getJson<Answer>('data/run_columns', { column: key });
  return (columns[0]?.values ?? []).filter((cell) => cell !== null);
}

export class Completion {
  /** The text before the caret; null while nothing is typed. */
  readonly before = signal<string | null>(null);
  readonly active = signal(-1);
  /** Values of columns by their keys, read when the first of one is typed; the next visit reads them again. */
  private readonly cells = signal<ReadonlyMap<string, readonly Cell[]>>(new Map());
  private readonly typed = computed(() => typedValue(this.before.value ?? '', this.columns.listing.value ?? []));
  readonly items = computed<readonly Suggestion[]>(() => {
    const { value: before } = this.before;
    if (before === null) return [];
    const listing = this.columns.listing.value ?? [];
    const { value: typed } = this.typed;
    if (typed) return valuesFor(typed, this.cells.value.get(typed.key) ?? []);
    const names = namesFor(before, listing);
    return names.length > 0 ? names : comparisonsFor(before, listing);
  });

  constructor(
    private readonly columns: RunColumns,
    private readonly read: ReadCells = cellsOf,
  ) {
    effect(() => {
      const key = this.typed.value?.key; // also when the columns come after it was typed
      if (key !== undefined) untracked(() => this.load(key));
    });
  }

  /** Call when the text has changed. */
  follow(field: HTMLInputElement): void {
    this.columns.need();
    this.offer(field.value.slice(0, field.selectionStart ?? field.value.length));
  }

  close(): void {
    this.before.value = null;
    this.cells.value = new Map(); // runs may have others at the next visit
  }

  private offer(before: string): void {
    this.before.value = before;
    this.active.value = -1;
  }

  private load(key: string): void {
    if (this.cells.peek().has(key)) return;
    this.keep(key, []); // asked for once
    this.read(key).then(
      (cells) => this.keep(key, cells),
      () => undefined, // it is completion only
    );
  }

  private keep(key: string, cells: readonly Cell[]): void {
    this.cells.value = new Map(this.cells.peek()).set(key, cells);
  }

  /** Puts an item in the place of what is typed of it; returns the text. */
  accept(at: number, field: HTMLInputElement): string {
    const item = this.items.value[at];
    const { value: before } = this.before;
    if (!item || before === null) return field.value;
    const start = `${before.slice(0, item.at)}${item.text}${item.text.endsWith('(') ? '' : ' '}`;
    const text = start + field.value.slice(before.length);
    field.value = text;
    field.setSelectionRange(start.length, start.length);
    field.focus();
    if (item.kind === 'value') this.before.value = null;
    else this.offer(start);
    return text;
  }

  /** Whether a key is for the list; `set` gets the text that Enter or Tab make. */
  press(event: KeyboardEvent, field: HTMLInputElement, set: (text: string) => void): boolean {
    const { length } = this.items.value;
    if (length === 0) return false;
    const { value: active } = this.active;
    if (event.key === 'ArrowDown') this.active.value = (active + 1) % length;
    else if (event.key === 'ArrowUp') this.active.value = (Math.max(active, 0) + length - 1) % length;
    else if (event.key === 'Escape') this.before.value = null;
    else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0) set(this.accept(active, field));
    else return false;
    event.preventDefault();
    return true;
  }
}

const fieldOfFilter = (): HTMLInputElement | null => document.querySelector('#run-filter');

/** What is wrong with the expression of the filter, in a sentence, and what may stand there instead. */
function ExpressionError() {
  const page = usePage();
  const { runs } = page;
  const { error, isExpression } = runs.filter.value;
  const { value: matched } = runs.matched;
  if (!error || !isExpression || !matched) return null;
  const { position, length, suggestions, isUnfinished } = matched;
  const replace = (text: string): void => {
    runs.filterText.set(corrected(runs.filterText.value, position, length, text));
    fieldOfFilter()?.focus();
  };
  return (
    <div id="run-filter-error" class={`ih-field-note ih-filter-error${isUnfinished ? ' ih-muted' : ''}`} role="status">
      {error}
      {suggestions.length > 0 && (
        <div class="ih-filter-chips" role="group" aria-label={words(page, 'runs.filter.try')}>
          <span class="ih-muted">{words(page, 'runs.filter.try')}</span>
          {suggestions.map((text) => (
            <button key={text} type="button" class="ih-mono" onClick={() => replace(text)}>
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** What is wrong with the text, and the list of what it may go on with, which lies over everything below. */
export function CompletionList({ completion }: { readonly completion: Completion }) {
  const page = usePage();
  const items = completion.items.value;
  const titleOf = ({ kind, title }: Suggestion, at: number): string => {
    if (kind === 'operator') return at === 0 ? words(page, 'runs.filter.compare') : '';
    return kind === 'value' ? words(page, 'runs.filter.has', { count: Number(title) }) : title;
  };
  return (
    <>
      {items.length > 0 && (
        <ul id="run-filter-names" class="ih-completions" role="listbox" aria-label={words(page, 'columns.title')}>
          {items.map((item, at) => (
            <li
              key={item.text}
              id={`run-filter-name-${at}`}
              role="option"
              aria-selected={at === completion.active.value}
              onPointerDown={(event) => {
                event.preventDefault(); // the field keeps the focus
                const field = fieldOfFilter();
                if (field) page.runs.filterText.set(completion.accept(at, field));
              }}
            >
              <span class="ih-mono">{item.text}</span>
              <span class="ih-muted">{titleOf(item, at)}</span>
            </li>
          ))}
        </ul>
      )}
      <ExpressionError />
    </>
  );
}
