/** The dialog that finds what a block shows: charts, findings, saved views, columns of a table of runs. */
import type { CardSpec } from '@insight-host/api';
import { cardId, codecs, Dialog, message } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ReportParts } from './board';
import { type Choice, findingChoices } from './findings';
import type { RunColumn } from './own_cards';

export type Chosen = 'chart' | 'finding' | 'view' | 'columns';

interface ChooserProps {
  readonly board: ReportParts;
  readonly kind: Chosen;
  /** The table whose columns are chosen. */
  readonly of?: CardSpec;
  readonly onClose: () => void;
  readonly onChoose: (chosen: readonly Choice[]) => void;
}

const MOST_LISTED = 200;

/** A dialog that finds charts, findings, saved views or columns, and takes those that are ticked. */
export function Chooser({ board, kind, of, onClose, onChoose }: ChooserProps): JSX.Element {
  const { t: say } = board.page;
  const all = useSignal<readonly Choice[] | null>(null);
  const failure = useSignal('');
  const wanted = useSignal('');
  const ticked = useSignal<ReadonlySet<string>>(new Set());
  useEffect(() => {
    choicesOf(board, kind, of).then(
      (found) => {
        ticked.value = new Set(found.filter(({ isTicked }) => isTicked).map(({ key }) => key));
        all.value = found;
      },
      (cause: unknown) => (failure.value = message(cause)),
    );
  }, []);
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (all.value ?? []).filter(({ text, detail }) =>
    words.every((word) => `${text} ${detail}`.toLowerCase().includes(word)),
  );
  const chosen = (all.value ?? []).filter(({ key }) => ticked.value.has(key));
  const tick = (key: string): void => {
    const next = new Set(ticked.value);
    if (!next.delete(key)) next.add(key);
    ticked.value = next;
  };
  return (
    <Dialog
      name={`add-${kind}`}
      title={say(`add.${kind}`)}
      onClose={onClose}
      onSubmit={() => {
        const wanted = chosen.length === 0 && found.length === 1 ? found : chosen;
        if (wanted.length > 0) onChoose(wanted);
      }}
      foot={
        <button type="submit" class="primary" data-action="add" disabled={chosen.length === 0 && found.length !== 1}>
          {say(`add.${kind}.verb`, { count: Math.max(1, chosen.length) })}
        </button>
      }
    >
      <div class="choose-block">
        <input
          type="search"
          autofocus
          data-control="choose"
          aria-label={say(`add.${kind}.search`)}
          placeholder={say(`add.${kind}.search`)}
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        {failure.value && (
          <p class="problem" role="alert">
            {failure.value}
          </p>
        )}
        {all.value === null && !failure.value && (
          <p class="hint" role="status">
            {say('add.waiting')}
          </p>
        )}
        <ul>
          {found.slice(0, MOST_LISTED).map(({ key, text, detail }) => (
            <li key={key}>
              <label>
                <input type="checkbox" checked={ticked.value.has(key)} onChange={() => tick(key)} />
                <span class="name">{text}</span>
                <span class="detail">{detail}</span>
              </label>
            </li>
          ))}
        </ul>
        {all.value && found.length === 0 && (
          <p class="hint">{say(words.length > 0 ? 'add.no_match' : `add.${kind}.none`)}</p>
        )}
        {found.length > MOST_LISTED && <p class="hint">{say('add.more', { count: found.length - MOST_LISTED })}</p>}
      </div>
    </Dialog>
  );
}

interface RunColumns {
  readonly columns: readonly RunColumn[];
  readonly all: readonly Pick<RunColumn, 'key' | 'title' | 'titles'>[];
}

interface Offered {
  readonly charts: readonly { readonly plugin: string; readonly tag: string }[];
  readonly views: readonly { readonly name: string; readonly state: Readonly<Record<string, string>> }[];
}

async function choicesOf(board: ReportParts, kind: Chosen, of?: CardSpec): Promise<readonly Choice[]> {
  const { ctx, t: say } = board.page;
  if (kind === 'finding') return findingChoices(ctx);
  if (kind === 'columns' && of) {
    const named = codecs.names.parse(of.state[COLUMNS] ?? null);
    const { columns, all } = await ctx.data.json<RunColumns>('runs', { column: named });
    const shown = named.length > 0 ? named : columns.filter(({ usual }) => usual).map(({ key }) => key);
    return all.map(({ key, title, titles }) => ({
      key,
      text: titles[ctx.locale.value] ?? title,
      detail: key.slice(0, key.indexOf('/')),
      card: of,
      isTicked: shown.includes(key),
    }));
  }
  const { charts, views } = await ctx.data.json<Offered>('choices');
  if (kind === 'chart')
    return charts.map(({ plugin, tag }) => ({
      key: tag,
      text: tag,
      detail: '',
      card: { plugin, card: cardId({ tag, run: null }), state: stateNow(board, plugin) },
    }));
  const here = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return [...views, { name: say('view.now'), state: here }].map(({ name, state }) => ({
    key: name,
    text: name,
    detail: '',
    card: { plugin: ctx.name, card: 'view', state: { 'reports.view': JSON.stringify({ name, state }) } },
  }));
}

const COLUMNS = 'reports.columns'; // the key of a table's state (insight_reports/view.py)
const KEPT = ['runs', 'color', 'group', 'dash', 'colors', 'palette', 'scale', 'shades'];

/** The runs and the looks of the page as it is now, as a card of the plugin keeps them. */
function stateNow({ page }: ReportParts, plugin: string): Readonly<Record<string, string>> {
  const { runs } = page.ctx;
  const all = [...new URLSearchParams(location.hash.slice(1))];
  const own = all.filter(([key]) => KEPT.includes(key) || key.startsWith(`${plugin}.`));
  const state = Object.fromEntries(own);
  if (runs.filter.value === '') return state;
  const names = codecs.names.format(runs.selected.value.map(({ name }) => name));
  return { ...state, runs: names ?? '' }; // only the run list evaluates a filter: the card keeps its outcome
}

export function runsCard(board: ReportParts): CardSpec {
  const { name } = board.page.ctx;
  const state = Object.entries(stateNow(board, name)).filter(([key]) => !key.startsWith(`${name}.`));
  return { plugin: name, card: 'runs', state: Object.fromEntries(state) };
}

/** A table of runs with these columns. */
export function withColumns(card: CardSpec, chosen: readonly Choice[]): CardSpec {
  const names = codecs.names.format(chosen.map(({ key }) => key)) ?? '';
  return { ...card, state: { ...card.state, [COLUMNS]: names } };
}
