/** A card of scalars: its chart, its tools, and what stands below. */
import { CardHead, sameCard, urgencyOf, useChart, useTableView, type ContentOfCard } from '@insight-host/kit';
import { mountLineChart, type LineChart, type LineChartProps } from '@insight-host/kit/lines';
import type { ChartData } from '@insight-host/kit/table';
import { useComputed, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isClipped, layersOf, useLater, type ScalarParts } from '../board';
import type { CardQuery, Feed, Layer, Picture } from '../feed/feed';
import { isMetric, kindOf, metricName } from './axis';
import { absence, CardStatus, ClipChip } from './card_status';
import { CardTools, useFigure } from './card_tools';
import { chartData } from './chart_data';
import { CardCorner } from './arranging';
import { aroundOf, bestOf, drawnOf, Legend, LineLimit } from './legend';
import {
  legendOf,
  linesOf,
  mainLines,
  pointedRuns,
  singleValues,
  useHoveredRuns,
  type Lines,
  type SingleValue,
} from './lines';
import { useMarkers } from './markers';
import { followed, type Reading } from './reading';
import { Tooltip } from './tooltip';
import { widened } from './zooms';

const WIDTH_STEP = 50; // pixels; a card a little wider asks for nothing new
const MANY = 20; // runs of a tag; more get two points a pixel
const FIGURE_WIDTH = 1000; // pixels of the plot of a figure, for so few runs
const GUTTERS = 68; // pixels left and right of the plot, until the chart reports the real value

interface CardBodyProps extends ContentOfCard<ScalarParts> {
  /** Outside of the tab, where no list of runs names the lines. */
  readonly isAlone?: boolean;
  /** More of them, of a card that is a panel. */
  readonly tools?: JSX.Element;
}

/** What is in a card while it is near the screen. */
export function CardBody({ board, card, place, isAlone = false, tools }: CardBodyProps): JSX.Element {
  const { tag } = card;
  const feed = board.feeds.of(tag);
  const host = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | null>(null);
  const width = useSignal(0);
  const reading = useSignal<Reading | null>(null);
  const times = useSignal(false); // marks need wall times
  const ends = useSignal<readonly number[]>([]); // of the y axes, that outliers lie beyond
  const wasClipped = useSignal(false); // values stay exact then: they decide what an outlier is
  const query = useComputed(() =>
    width.value > 0 ? cardQuery(board, tag, width.value, times.value, wasClipped.value) : null,
  );
  const picture = feed.picture.value;
  const runs = board.page.runs.value;
  const locale = board.page.locale.value;
  const groups = board.groups.value;
  const best = picture ? bestOf(board, picture.layers[0]?.runs ?? []) : null;
  const linesIn = (drawn: Picture): Lines =>
    linesOf(
      drawn,
      runs,
      (name) => board.page.titleOf(name),
      (run, step) => board.page.t('restart', { run: board.page.nameOf(run), step: step.toLocaleString(locale) }),
      { groups, best, all: (count) => board.page.t('lines.median', { count }) },
    );
  const lines = useMemo<Lines | null>(() => picture && linesIn(picture), [picture, runs, locale, groups, best]);

  const singles = useMemo(() => picture && singleValues(picture), [picture]);

  useEffect(() => {
    feed.urgency = () => urgencyOf(place);
    return () => feed.rest();
  }, [feed]);
  useEffect(() => {
    if (query.value && board.page.visible.value) feed.want(query.value);
  }, [query.value, board.page.visible.value]);
  useEffect(() => feed.wake(), [board.page.visible.value, board.cards.full.value]);

  const full = sameCard(board.cards.full.value, card);
  // it stands at a place of the screen, where the card no longer is
  useEffect(() => void (reading.value = null), [full]);

  const hasLegend = full || isAlone || tools !== undefined;
  const markers = useMarkers(board, tag, picture, times);
  const marks = useMemo(() => [...(lines?.marks ?? []), ...markers.marks], [lines, markers]);
  const props = {
    ...chartProps(board, tag, { ...(lines ?? NOTHING), marks }, feed, reading, host),
    showsEnds: !hasLegend,
    onClipped: (found: readonly number[]) => {
      ends.value = found;
      if (found.length > 0) wasClipped.value = true;
    },
  };
  useChart(mountLineChart, props, host, chart, feed);
  useHoveredRuns(board.page, chart, feed);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const measure = (): void => {
      const found = chart.current?.plot.width ?? element.clientWidth - GUTTERS;
      if (found > 40) width.value = Math.ceil(found / WIDTH_STEP) * WIDTH_STEP;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const sight = new IntersectionObserver((seen) => feed.see(seen.at(-1)?.isIntersecting ?? true));
    sight.observe(element);
    return () => {
      observer.disconnect();
      sight.disconnect();
    };
  }, [feed]);

  usePrintPicture(chart, host);
  const panel = tools && board.panels.of(tag);
  const why = panel ? absence(board.page, panel, board.tags.runsByTag.value) : '';
  const second = board.pairs.value.get(tag);
  const data = async (): Promise<ChartData | null> => {
    const exact = await feed.exact();
    return exact && chartData(exact, (key) => board.page.t(key), marks, axisName(board, exact));
  };
  const table = useTableView(board.page, tag, board.page.titleOf(tag), data, () => import('@insight-host/kit/table'));
  const figure = useFigure(board.page, async () => {
    const exact = await feed.exact(runs.length > MANY ? 0 : FIGURE_WIDTH);
    return exact && chart.current && { ...chart.current.shown, lines: linesIn(exact).lines };
  });
  return (
    <>
      <CardHead
        board={board}
        card={card}
        note={second !== undefined && <span class="second"> + {board.page.titleOf(second)}</span>}
      >
        <ClipChip board={board} tag={tag} ends={ends.value} />
        <CardTools board={board} card={card} chart={chart} items={[table.item, figure.item]} />
        {tools}
      </CardHead>
      {!isAlone && <LineLimit board={board} tag={tag} />}
      {lines && hasLegend && (
        <Legend
          lines={full || !tools ? lines : legendOf(lines)}
          scale={board.scale.value}
          label={board.page.t('tooltip.rows', { count: mainLines(lines).length })}
        />
      )}
      <div
        class={feed.busy.value ? 'plot busy' : 'plot'}
        data-marks={marks.length}
        ref={host}
        inert={singles !== null}
        onPointerDownCapture={() => board.zooms.beginGesture()}
      />
      {singles && <Singles board={board} tag={tag} values={singles} />}
      {why && (
        <p class="nothing" data-testid="card-status">
          {why}
        </p>
      )}
      {!full && !isAlone && !tools && <CardCorner board={board} place={place} />}
      <CardStatus board={board} tag={tag} feed={feed} moreMarks={markers.more} />
      {table.dialog}
      {figure.dialog}
      {lines && <Tooltip board={board} feed={feed} lines={lines} marks={marks} reading={reading} />}
    </>
  );
}

/** Bars in the place of the chart; their code is loaded when they are first shown. */
function Singles(props: { board: ScalarParts; tag: string; values: ReadonlyMap<string, SingleValue> }): JSX.Element {
  const loaded = useLater(props.board, () => import('../panels/drawn_bars'));
  return <div class="singles">{loaded && <loaded.SingleValues {...props} />}</div>;
}

/** For the head of a column. */
function axisName(board: ScalarParts, { query: { x } }: Picture): string {
  return isMetric(x) ? metricName(x, board.page, board.derived) : board.page.t(`x.${x}`);
}

function cardQuery(
  board: ScalarParts,
  tag: string,
  width: number,
  times: boolean,
  wasClipped: boolean,
): CardQuery | null {
  const group = board.grouping.query(board.centre.value, board.shownSpread.value);
  // a line of several runs has a band of its own
  const all = layersOf(board, tag).filter(({ edge }) => !edge || !group);
  const count = all.filter(({ edge }) => !edge).length;
  const layers = all
    .map((layer): Layer => {
      const names = board.tags.runNames(layer.tag);
      const around = layer.edge ? undefined : aroundOf(board, names, count);
      return { ...layer, runs: drawnOf(board, names, count), ...(around ? { around } : {}) };
    })
    .filter(({ runs, around }) => runs.length > 0 || around);
  if (layers.length === 0) return null;
  const x = board.x.value;
  const logs = board.logs.of(tag);
  const logX = logs.x && x !== 'wall';
  const zooms = board.zooms.of(tag);
  const zoom = zooms.x;
  // by the runs that there are, not by those that are selected: a series that is here fits any selection
  const columns = layers.some((layer) => board.tags.runsOf(layer.tag).length > MANY) ? Math.ceil(width / 2) : width;
  // codes are fractions of all that is there, of which these charts show a small part
  const isPartial = zooms.x !== null || zooms.y !== null || wasClipped;
  return {
    layers,
    x,
    logX,
    window: zoom && widened(zoom, logX),
    width: zoom ? 2 * columns : columns,
    smoothing: board.smoothing.value,
    smoother: board.smoother.value,
    raw: board.raw.value,
    attempts: board.attempts.value,
    group,
    values: isPartial ? 'exact' : logs.y ? 'log' : 'linear',
    times: times || x === 'relative' || x === 'wall',
  };
}

const NOTHING: Lines = { lines: [], sources: new Map(), extent: null, marks: [] };

function chartProps(
  board: ScalarParts,
  tag: string,
  found: Lines,
  feed: Feed,
  reading: { value: Reading | null },
  host: { readonly current: HTMLElement | null },
): LineChartProps {
  const { lines, extent, marks } = found;
  const second = board.pairs.value.get(tag);
  const log = board.logs.of(tag);
  const zoom = board.zooms.of(tag);
  // The picture that is there may still be the one of another axis.
  const kind = feed.picture.value?.query.x ?? board.x.value;
  const fits = kind === board.x.value;
  const read = (cursor: Reading['cursor'], pinned: boolean): Reading => {
    const box = host.current?.getBoundingClientRect();
    return { cursor, clientX: (box?.left ?? 0) + cursor.px, clientY: (box?.top ?? 0) + cursor.py, pinned };
  };
  /** Along a metric other tabs learn the step of the point. */
  const share = (how: 'point' | 'pin', point: Reading['cursor']['nearest'][number] | undefined): void => {
    const step = point && found.sources.get(point.id)?.main?.steps[point.index];
    if (isMetric(kind)) board.cursors.share(how, 'step', step ?? null);
    else board.cursors.share(how, kind, point?.x ?? null);
  };
  const linked = board.link.value ? board.cursors.linked.value : null;
  return {
    lines,
    pending: feed.picture.value === null && feed.error.value === null,
    xKind: kindOf(kind),
    logX: log.x,
    logY: log.y,
    xLabel: isMetric(kind) ? metricName(kind, board.page, board.derived) : board.page.t(`x.${kind}.label`),
    yLabel: board.page.titleOf(tag),
    ...(second === undefined ? {} : { yRightLabel: board.page.titleOf(second) }),
    ...(board.scale.value ? { scale: board.scale.value } : {}),
    title: [tag, ...(second === undefined ? [] : [second])].map((name) => board.page.titleOf(name)).join(' + '),
    ...(extent ? { xExtent: extent } : {}),
    ignoreOutliers: isClipped(board, tag),
    xWindow: fits ? zoom.x : null,
    yWindow: fits ? zoom.y : null,
    tool: board.tool.value,
    threshold: board.thresholds.byTag.value.get(tag) ?? null,
    marks,
    cursorX: linked ? (linked.tag === tag ? null : linked.x) : fits ? board.cursors.sharedX(kind) : null,
    theme: board.page.theme.value,
    locale: board.page.locale.value,
    description: board.page.t('chart.description', {
      tag: board.page.titleOf(tag),
      count: mainLines(found).length,
    }),
    onView: (view, how) => board.zooms.look(tag, view, how),
    onCursor: (cursor) => {
      if (board.link.value) board.cursors.linked.value = cursor ? { tag, x: cursor.x } : null;
      share('point', cursor?.nearest[0]);
      board.page.ctx.runs.hover(pointedRuns(cursor, found.sources));
      reading.value = followed(reading.value, cursor && read(cursor, false));
    },
    onClick: (cursor) => {
      const point = reading.value?.pinned ? undefined : cursor.nearest[0];
      reading.value = point ? read(cursor, true) : null;
      share('pin', point);
    },
  };
}

let count = 0; // of pictures

/** While the page is printed, a card shows its chart as vector graphics: the canvas has the pixels of the screen. */
function usePrintPicture(
  chart: { readonly current: LineChart | null },
  host: { readonly current: HTMLElement | null },
): void {
  useEffect(() => {
    let picture: SVGElement | null = null;
    const begin = (): void => {
      if (!chart.current || picture || host.current?.inert) return;
      const own = `print${(count += 1)}-`; // names in one document: those of another card must not hold here
      const text = chart.current.toSVG().replace(/(id="|url\(#)(?=clip\d)/g, `$1${own}`);
      const { documentElement: drawn } = new DOMParser().parseFromString(text, 'image/svg+xml');
      picture = document.importNode(drawn, true) as unknown as SVGElement;
      picture.classList.add('print-picture');
      picture.setAttribute('aria-hidden', 'true');
      host.current?.append(picture);
    };
    const end = (): void => {
      picture?.remove();
      picture = null;
    };
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
      end();
    };
  }, []);
}
