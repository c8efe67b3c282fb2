import { Icon, valueText, type Page } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ScalarParts } from '../board';
import type { Feed } from '../feed/feed';
import { count, pointsIn } from '../feed/series';
import { chosenTags, emptiness, matcher } from '../panels/choice';
import { translated } from '../panels/layouts';
import { edgesOf, isPanelKey, type Draft, type LogPanel, type Panel } from '../panels/panels';
import { isMetric, metricName } from './axis';
import { thresholdText } from './thresholds';

/**
 * The line below a chart: how many points it stands for, and what is wrong with it. Where nothing is, only screen
 * readers have it.
 */
export function CardStatus({
  board,
  tag,
  feed,
  moreMarks,
}: {
  readonly board: ScalarParts;
  readonly tag: string;
  readonly feed: Feed;
  /** Marks of plugins that are not drawn. */
  readonly moreMarks: number;
}): JSX.Element {
  const { t: say } = board.page;
  const picture = feed.picture.value;
  if (feed.error.value) {
    return (
      <footer class="error">
        <Icon name="warn" />
        <span role="alert" title={feed.error.value}>
          {say('card.error', { reason: feed.error.value })}
        </span>
        <button type="button" data-action="retry" onClick={() => feed.retry()}>
          {say('retry')}
        </button>
      </footer>
    );
  }
  const panel = isPanelKey(tag) ? board.panels.of(tag) : undefined;
  const missing = panel ? lacking(board, panel) : [];
  if (panel && absence(board.page, panel, board.tags.runsByTag.value)) {
    return (
      <footer>
        <span class="counts" title={missing.join('\n')}>
          {missing.join(' · ') || '\u00a0'}
        </span>
      </footer>
    );
  }
  if (!picture) return <footer class="quiet" />;
  const empty = panel ? emptiness(panel, board.tags.runsByTag.value.keys()) : null;
  const format = (n: number): string => n.toLocaleString(board.page.locale.value);
  const parts: string[] = [];
  const shown = picture.layers.flatMap((layer) => layer.main);
  const all = count(shown);
  const window = board.zooms.of(tag).x;
  const inView = window && pointsIn(shown, window, picture.query.x);
  if (picture.query.group) {
    const bands = picture.layers[0]?.bands ?? [];
    const runs = bands.reduce((n, band) => n + band.runs.length, 0);
    if (bands.length > 0) parts.push(say('card.groups', { count: bands.length }), say('card.grouped', { count: runs }));
    else parts.push(say('card.no_groups'));
  } else if (all.kept < all.total) {
    parts.push(say('card.kept', { kept: all.kept, count: all.total }));
  } else if (inView !== null) {
    parts.push(say('card.window', { points: inView, count: all.total }));
  } else {
    parts.push(say('card.points', { count: all.total }));
  }
  const { x } = picture.query;
  const without = isMetric(x) ? shown.filter(({ total }) => total === 0).length : 0;
  if (isMetric(x) && without > 0)
    parts.push(say('card.no_x', { count: without, metric: metricName(x, board.page, board.derived) }));
  const hidden = panel ? board.panels.hiddenTags(panel, board.tags.runsByTag.value.keys()) : 0;
  if (empty) parts.push(say(empty.key, { reason: empty.reason }));
  parts.push(...missing);
  if (hidden > 0) parts.push(say('panel.more_tags', { count: hidden }));
  if (moreMarks > 0) parts.push(say('card.more_marks', { count: moreMarks }));
  if (all.hidden > all.purged) parts.push(say('card.hidden', { hidden: all.hidden - all.purged }));
  if (all.purged > 0) parts.push(say('card.purged', { purged: all.purged }));
  // with the signs that the chart draws for them
  const odd = [
    all.nan && `✕ ${format(all.nan)} NaN`,
    all.inf && `▲ ${format(all.inf)} +Inf`,
    all.negInf && `▼ ${format(all.negInf)} −Inf`,
  ].filter(Boolean);
  const threshold = board.thresholds.byTag.value.get(tag);
  const isQuiet = parts.length === 1 && all.kept >= all.total && !picture.query.group && !odd.length && !threshold;
  return (
    <footer class={isQuiet ? 'quiet' : undefined} data-testid="card-status">
      <span class="counts">{parts.join(' · ')}</span>
      {odd.length > 0 && (
        <span class="nonfinite" title={say('card.nonfinite')}>
          {odd.join(say('list.separator'))}
        </span>
      )}
      {threshold && <span class="threshold">{thresholdText(threshold)}</span>}
    </footer>
  );
}

interface ClipChipProps {
  readonly board: ScalarParts;
  readonly tag: string;
  /** Ends of the y axes that outliers lie beyond. */
  readonly ends: readonly number[];
}

/** "clipped at 2.6": shows all when it is pressed, and then clips again. */
export function ClipChip({ board, tag, ends }: ClipChipProps): JSX.Element | null {
  const { t: say } = board.page;
  const { whole } = board;
  if (!board.clipped.value) return null;
  const isWhole = whole.value.includes(tag);
  if (!isWhole && ends.length === 0) return null;
  const numbers = ends.map((end) => valueText(Number(end.toPrecision(3)))).join(say('list.separator'));
  return (
    <button
      type="button"
      class="clip-chip"
      data-action="clip"
      aria-pressed={!isWhole}
      title={say(isWhole ? 'clip.again' : 'clip.whole')}
      onClick={() => whole.set(isWhole ? whole.value.filter((other) => other !== tag) : [...whole.value, tag])}
    >
      {isWhole ? say('outliers.shown') : say('clip.at', { ends: numbers })}
    </button>
  );
}

const MOST = 3; // names, and runs, that are listed

type RunsByTag = ScalarParts['tags']['runsByTag']['value'];

/** Why a panel of lines has none, as a text; '' if it has some. */
export function absence({ t: say }: Page, panel: Draft | LogPanel, known: RunsByTag): string {
  const { tags = [], margins = [] } = panel;
  if (chosenTags(panel, known.keys()).length > 0 || margins.some(({ value }) => known.has(value))) return '';
  const found = emptiness(panel, known.keys());
  const isOfLog = 'patterns' in panel; // whose expressions are those of Python
  if (found && !(isOfLog && found.key === 'panel.regex.none')) return say(found.key, { reason: found.reason });
  const names = [...tags, ...edgesOf(margins), ...(isOfLog ? panel.patterns : [])];
  return names.length > 0 ? say('panel.tags.none', { tags: listed(say, names) }) : '';
}

/** Which tags the selected runs lack that have the layout of a panel, as texts; none for a panel of the user. */
export function lacking({ page, tags }: ScalarParts, panel: Panel | LogPanel): readonly string[] {
  if (!('runs' in panel)) return [];
  const known = tags.runsByTag.value;
  const selected = new Set(page.runs.value.map(({ name }) => name));
  const has = (names: Iterable<string>): ReadonlySet<string> =>
    new Set([...names].flatMap((tag) => known.get(tag) ?? []).map(({ name }) => name));
  const wanted = [
    ...[...new Set(edgesOf(panel.margins ?? []))].map((name) => ({ name, runs: has([name]) })),
    ...panel.patterns.map((name) => ({ name, runs: has([...known.keys()].filter(matcher(translated(name)).matches)) })),
  ];
  const found = panel.runs
    .filter((run) => selected.has(run))
    .map((run) => ({ run, names: wanted.filter(({ runs }) => !runs.has(run)).map(({ name }) => name) }))
    .filter(({ names }) => names.length > 0);
  return [
    ...found
      .slice(0, MOST)
      .map(({ run, names }) => page.t('panel.lacks', { run: page.nameOf(run), tags: listed(page.t, names) })),
    ...(found.length > MOST ? [page.t('panel.lacks.more', { count: found.length - MOST })] : []),
  ];
}

const listed = (say: Page['t'], names: readonly string[]): string =>
  [...names.slice(0, MOST), ...(names.length > MOST ? ['…'] : [])].join(say('list.separator'));
