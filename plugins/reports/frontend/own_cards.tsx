/** The cards that reports have themselves: a table of runs, a finding that is quoted, a view that they lead to. */
import type { Disposer, PluginContext } from '@insight-host/api';
import { codecs, durationText, Icon, message, Page, timeText, valueText, type IconName } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import { render, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Quoted } from './findings';

interface Props {
  readonly page: Page;
}

/** Fills `host` with a card of this name; the state of the card is that of `ctx`. */
export function renderOwn(host: HTMLElement, ctx: PluginContext, card: string): Disposer {
  const page = new Page(ctx);
  const Shown = { runs: RunTable, finding: QuotedFinding, view: LinkedView }[card];
  if (!Shown) {
    page.dispose();
    throw new Error(ctx.t('own.unknown', { card }));
  }
  render(
    <div class="own-card">
      <Shown page={page} />
    </div>,
    host,
  );
  return () => {
    render(null, host);
    page.dispose();
  };
}

type Cell = string | number | boolean;

export interface RunColumn {
  readonly key: string;
  readonly title: string;
  readonly titles: Readonly<Record<string, string>>;
  readonly kind: string;
  readonly group: string;
  /** One of the columns of a table that names none. */
  readonly usual: boolean;
  readonly values: Readonly<Record<string, Cell>>;
}

const FIRST = 20; // runs, until all are asked for

function RunTable({ page }: Props): JSX.Element {
  const { t: say, ctx } = page;
  const columns = useSignal<readonly RunColumn[] | null>(null);
  const failure = useSignal('');
  const showsAll = useSignal(false);
  const sort = useSignal<{ readonly key: string; readonly down: boolean } | null>(null);
  useEffect(() => {
    const column = ctx.url.state('columns', codecs.names).value;
    ctx.data.json<{ readonly columns: readonly RunColumn[] }>('runs', { column }).then(
      ({ columns: found }) => {
        const named = column.flatMap((key) => found.find((one) => one.key === key) ?? []);
        columns.value = column.length > 0 ? named : found.filter(({ usual }) => usual);
      },
      (cause: unknown) => (failure.value = message(cause)),
    );
  }, []);
  if (failure.value)
    return (
      <p class="problem" role="alert">
        {failure.value}
      </p>
    );
  const runs = page.runs.value;
  const { value: by } = sort;
  const sorted = by ? ordered(runs, columns.value?.find(({ key }) => key === by.key)?.values ?? {}, by.down) : runs;
  const shown = showsAll.value ? sorted : sorted.slice(0, FIRST);
  const turn = (key: string): void =>
    void (sort.value = by?.key !== key ? { key, down: true } : by.down ? { key, down: false } : null);
  return (
    <div class="runs-of-report" role="region" aria-label={say('kind.runs')} tabIndex={0}>
      <table data-testid="runs-of-report">
        <thead>
          <tr>
            <th scope="col">{say('runs.name')}</th>
            {columns.value?.map(({ key, title, titles, kind }) => (
              <th
                key={key}
                scope="col"
                class={kind === 'number' ? 'number' : ''}
                aria-sort={by?.key === key ? (by.down ? 'descending' : 'ascending') : 'none'}
              >
                <button type="button" data-sort={key} onClick={() => turn(key)}>
                  {titles[page.locale.value] ?? title}
                  {by?.key === key && (by.down ? ' ↓' : ' ↑')}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((run) => (
            <tr key={run.name} data-hover-run={run.name}>
              <th scope="row">
                <span class="swatch" style={{ background: run.color }} /> {run.displayName}
              </th>
              {columns.value?.map(({ key, kind, values }) => (
                <td key={key} class={kind === 'number' ? 'number' : ''}>
                  {cellText(page, kind, values[run.name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < sorted.length && (
        <button type="button" class="tool text" data-action="all-runs" onClick={() => (showsAll.value = true)}>
          {say('runs.all', { count: sorted.length })}
        </button>
      )}
    </div>
  );
}

function ordered<R extends { readonly name: string }>(
  runs: readonly R[],
  values: RunColumn['values'],
  down: boolean,
): readonly R[] {
  const known = runs.filter(({ name }) => values[name] !== undefined);
  const compare = (one: R, other: R): number => {
    const [a, b] = [values[one.name] as Cell, values[other.name] as Cell];
    return typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  known.sort((one, other) => (down ? compare(other, one) : compare(one, other)));
  return [...known, ...runs.filter(({ name }) => values[name] === undefined)];
}

function cellText({ locale }: Page, kind: string, value: Cell | undefined): string {
  if (value === undefined) return '–';
  if (typeof value !== 'number') return String(value);
  if (kind === 'time') return timeText(value, locale.value);
  return kind === 'duration' ? durationText(value, locale.value) : valueText(value);
}

const ICONS: Readonly<Record<string, IconName>> = { error: 'error', warning: 'warn', hint: 'info', good: 'check' };

function QuotedFinding({ page }: Props): JSX.Element {
  const { t: say, ctx } = page;
  const found = parsed<Quoted>(ctx.url.state('finding', codecs.text).value);
  if (!found) return <p class="problem">{say('damaged')}</p>;
  const { severity, saw, change, runs, plugin, state } = found;
  const own = Object.entries(state).map(([key, value]) => [`${plugin}.${key}`, value] as const);
  const names = codecs.names.format(runs);
  const address = addressOf({ tab: plugin, ...(names ? { runs: names } : {}), ...Object.fromEntries(own) });
  return (
    <div class="quoted" data-severity={severity}>
      <Icon name={ICONS[severity] ?? 'info'} />
      <div>
        <strong>{saw}</strong>
        {change && <p>{change}</p>}
        <p class="hint">{runs.length === 1 ? runs[0] : say('finding.runs', { count: runs.length })}</p>
      </div>
      {!ctx.isSnapshot && page.tabs.value.includes(plugin) && (
        <a class="tool text" data-action="open-finding" href={address}>
          {say('finding.open')}
        </a>
      )}
    </div>
  );
}

function LinkedView({ page }: Props): JSX.Element {
  const { t: say, ctx } = page;
  const view = parsed<{ readonly name: string; readonly state: Readonly<Record<string, string>> }>(
    ctx.url.state('view', codecs.text).value,
  );
  if (!view) return <p class="problem">{say('damaged')}</p>;
  return (
    <div class="quoted">
      <Icon name="bookmark" />
      <div>
        <strong>{view.name}</strong>
        {ctx.isSnapshot && <p class="hint">{say('view.offline')}</p>}
      </div>
      {!ctx.isSnapshot && (
        <a class="tool text" data-action="open-view" href={addressOf(view.state)}>
          {say('view.open')}
        </a>
      )}
    </div>
  );
}

const PERSONAL = ['theme', 'locale']; // belong to the reader

/** The address of a state of the page, in the reader's language and theme. */
function addressOf(state: Readonly<Record<string, string>>): string {
  const here = [...new URLSearchParams(location.hash.slice(1))].filter(([key]) => PERSONAL.includes(key));
  return `#${new URLSearchParams([...Object.entries(state), ...here]).toString().replaceAll('+', '%20')}`;
}

function parsed<T extends object>(text: string): T | null {
  try {
    const value = JSON.parse(text) as T | null;
    return typeof value === 'object' && value !== null && ('runs' in value || 'state' in value) ? value : null;
  } catch {
    return null;
  }
}
