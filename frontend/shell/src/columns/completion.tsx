/** Helps to write an expression: suggests names of columns and operators, and says what is wrong. */
import { computed, signal } from '@preact/signals';
import { usePage } from '../state/page';
import { keyOf } from './cells';
import type { RunColumns } from './run_columns';
import { words } from './words';

const MOST = 6;
const PLAIN = /^[^\W\d][\w./:#-]*$/u;
const RESERVED = /^(and|or|not|in|true|false|null|nan|inf)$/i;
/** The name that is typed before the caret, after an opened quote or not. */
const TYPED = /"([^"]*)$|([\p{L}_][^\s"'()<>=!,]*)$/u;

/** A name at the end of a text, quoted or not. */
const NAMED = /(?:"((?:""|[^"])+)"|([\p{L}_][^\s"'()<>=!,]*))\s*$/u;
/** Before a value: `optimizer = adam` has one name of a column. */
const COMPARED = /[<>=]\s*$|\bin\s*\([^)]*$/i;
const OPERATORS = { number: ['<', '<=', '>', '>=', '=', '!='], text: ['=', '!=', 'in ('] } as const;

/** A line of the list below the filter. */
interface Suggestion {
  /** Where the text begins that it replaces. */
  readonly at: number;
  /** What it puts there. */
  readonly text: string;
  readonly title: string;
  /** Whether it ends with an operator, which a value has to follow. */
  readonly compares: boolean;
}

/** The name as an expression has it. */
export function quoted(name: string): string {
  return PLAIN.test(name) && !RESERVED.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Where the name begins that ends a text, and what of it is typed; null if a text does not end with a name. */
export function typedName(text: string): { readonly at: number; readonly name: string } | null {
  const isOpen = text.split('"').length % 2 === 0;
  const match = TYPED.exec(text);
  if (!match || (match[1] !== undefined) !== isOpen) return null;
  return { at: match.index, name: match[1] ?? match[2] ?? '' };
}

export class Completion {
  /** The text before the caret; null while nothing is typed. */
  readonly before = signal<string | null>(null);
  readonly active = signal(-1);
  readonly items = computed<readonly Suggestion[]>(() => {
    const { value: before } = this.before;
    if (before === null) return [];
    const names = this.names(before);
    return names.length > 0 ? names : this.comparisons(before);
  });

  /** Names of columns that what is typed may be the beginning of. */
  private names(before: string): readonly Suggestion[] {
    const typed = typedName(before);
    if (!typed?.name) return [];
    const wanted = typed.name.toLowerCase();
    const listed = this.columns.listing.value ?? [];
    const found = listed
      .map((column) => {
        const isUnique = listed.every((other) => other === column || other.name !== column.name);
        return { name: isUnique ? column.name : keyOf(column), title: column.title };
      })
      .filter(({ name, title }) => `${name}\n${title}`.toLowerCase().includes(wanted));
    if (found.some(({ name }) => name === typed.name)) return [];
    const begins = ({ name }: { readonly name: string }): number => Number(!name.toLowerCase().startsWith(wanted));
    return found
      .sort((a, b) => begins(a) - begins(b))
      .slice(0, MOST)
      .map(({ name, title }) => ({
        at: typed.at,
        text: quoted(name),
        title: title === name ? '' : title,
        compares: false,
      }));
  }

  /** Comparisons of the column that the text ends with: without one, the text is searched in names of runs. */
  private comparisons(before: string): readonly Suggestion[] {
    const match = NAMED.exec(before);
    if (!match || COMPARED.test(before.slice(0, match.index))) return [];
    const name = match[1]?.replaceAll('""', '"') ?? match[2] ?? '';
    const column = this.columns.listing.value?.find((one) => one.name === name || keyOf(one) === name);
    if (!column) return [];
    const operators = OPERATORS[['text', 'boolean'].includes(column.kind) ? 'text' : 'number'];
    return operators.map((operator) => ({
      at: match.index,
      text: `${quoted(name)} ${operator}`,
      title: '',
      compares: true,
    }));
  }

  constructor(private readonly columns: RunColumns) {}

  /** Call when the text has changed. */
  follow(field: HTMLInputElement): void {
    this.columns.need();
    this.before.value = field.value.slice(0, field.selectionStart ?? field.value.length);
    this.active.value = -1;
  }

  close(): void {
    this.before.value = null;
  }

  /** Puts an item in the place of what is typed of it; returns the text. After a name, comparisons follow. */
  accept(at: number, field: HTMLInputElement): string {
    const item = this.items.value[at];
    const { value: before } = this.before;
    if (!item || before === null) return field.value;
    const start = `${before.slice(0, item.at)}${item.text} `;
    const text = start + field.value.slice(before.length);
    field.value = text;
    field.setSelectionRange(start.length, start.length);
    field.focus();
    this.active.value = -1;
    this.before.value = item.compares ? null : start;
    return text;
  }

  /** Whether a key is for the list; `set` gets the text that Enter or Tab make. */
  press(event: KeyboardEvent, field: HTMLInputElement, set: (text: string) => void): boolean {
    const { length } = this.items.value;
    if (length === 0) return false;
    const { value: active } = this.active;
    if (event.key === 'ArrowDown') this.active.value = (active + 1) % length;
    else if (event.key === 'ArrowUp') this.active.value = (Math.max(active, 0) + length - 1) % length;
    else if (event.key === 'Escape') this.close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && active >= 0) set(this.accept(active, field));
    else return false;
    event.preventDefault();
    return true;
  }
}

/**
 * The text with `name`, as an expression has it, for the name at `position`, which counts characters as the host does.
 */
export function corrected(text: string, position: number, name: string): string {
  const start = [...text].slice(0, position).join('');
  const rest = text.slice(start.length).replace(/^("(""|[^"])*"|'(''|[^'])*'|[^\s<>=!,()]+)/, () => name);
  return start + rest;
}

/** What is wrong with the expression of the filter, and what may be meant. */
function ExpressionError() {
  const page = usePage();
  const { runs } = page;
  const { error, isExpression } = runs.filter.value;
  const { value: matched } = runs.matched;
  if (!error || !isExpression || !matched) return null;
  const correct = (name: string): void => {
    runs.filterText.set(corrected(runs.filterText.value, matched.position, name));
  };
  return (
    <p id="run-filter-error" class="ih-field-note ih-run-filter-error" role="status" title={error}>
      {error}{' '}
      {matched.suggestions.map((name) => (
        <button key={name} type="button" class="ih-link" onClick={() => correct(name)}>
          {words(page, 'runs.filter.meant', { name })}
        </button>
      ))}
    </p>
  );
}

export function CompletionList({ completion }: { readonly completion: Completion }) {
  const page = usePage();
  const items = completion.items.value;
  if (items.length === 0) return <ExpressionError />;
  return (
    <ul id="run-filter-names" class="ih-completions" role="listbox" aria-label={words(page, 'columns.title')}>
      {items.map(({ text, title, compares }, at) => (
        <li
          key={text}
          id={`run-filter-name-${at}`}
          role="option"
          aria-selected={at === completion.active.value}
          onPointerDown={(event) => {
            event.preventDefault(); // the field keeps the focus
            const field = document.querySelector<HTMLInputElement>('#run-filter');
            if (field) page.runs.filterText.set(completion.accept(at, field));
          }}
        >
          <span class="ih-mono">{text}</span>
          <span class="ih-muted">{compares && at === 0 ? words(page, 'runs.filter.compare') : title}</span>
        </li>
      ))}
    </ul>
  );
}
