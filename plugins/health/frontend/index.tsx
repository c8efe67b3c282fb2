import {
  Button,
  canvasFile,
  cardStyles,
  Choice,
  Empty,
  fileName,
  Menu,
  message,
  Select,
  tab,
  Toggle,
  useTableView,
  ToolbarLine,
} from '@insight-host/kit';
import { Modes } from '@insight-host/kit/table';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import en from '../insight_health/locales/en.json';
import zh from '../insight_health/locales/zh-CN.json';
import { VIEWS, type HeatMap } from './answer';
import { HealthBoard } from './board';
import { cellColors, Legend, scaleOf } from './colors';
import styles from './health.css?inline';
import { HeatMapView } from './heat_map';
import { Verdict } from './verdict';
import { tableOf } from './words';

export default tab({
  messages: { en, 'zh-CN': zh },
  styles: cardStyles + styles,
  board: (page) => new HealthBoard(page),
  runs: (board) => board.choice.value,
  view: (board) => <App board={board} />,
  keys: (board, host) => [
    ['m', 'keys.map', () => host.querySelector<HTMLElement>('[data-testid="heat-map"]')?.focus()],
    [
      'b',
      'keys.first',
      () => {
        const [first] = board.map.value?.faults ?? [];
        if (first) board.show(first);
      },
    ],
  ],
});

const NAMES = 180; // CSS pixels for names of rows, about

interface Props {
  readonly board: HealthBoard;
}

function App({ board }: Props): JSX.Element {
  const map = board.map.value;
  return (
    <div class="kit health" data-testid="health" aria-busy={board.busy.value}>
      <Toolbar board={board} map={map} />
      <Body board={board} map={map} />
    </div>
  );
}

function Toolbar({ board, map }: Props & { readonly map: HeatMap | null }): JSX.Element {
  const { page, settings } = board;
  const { t: say } = page;
  const { view, measure, kind, all, layer, x, y } = settings;
  const runs = map?.all_runs ?? [];
  const several = runs.length > 1;
  const measures = map?.measures ?? [measure.value];
  const kinds = map?.kinds ?? [];
  const layers = (map?.choices ?? []).map((one) => ({
    value: one.id,
    text: `${one.name} (${say(`kind.${one.kind}`)})`,
  }));
  const tools = (
    <>
      {(several || view.value !== 'layers') && (
        <Choice say={say} name="view" label={say('view')} values={VIEWS} setting={view} how="push" />
      )}
      <Select
        name="measure"
        label={say('measure')}
        value={measure.value}
        options={(measures.includes(measure.value) ? measures : [measure.value, ...measures]).map((value) => ({
          value,
          text: say(`measure.${value}`),
          title: say(`measure.${value}.hint`),
        }))}
        onPick={(next) => measure.set(next, 'push')}
      />
      {view.value === 'ranks' && layers.length > 0 && (
        <Select
          name="layer"
          label={say('layer')}
          value={layer.value ?? ''}
          options={[{ value: '', text: say('layer.all') }, ...layers]}
          onPick={(id) => layer.set(id === '' ? null : id, 'push')}
        />
      )}
      {(x.value !== null || y.value !== null) && (
        <Button
          action="show-all"
          icon="reset"
          label={say('show.all')}
          onPress={() => {
            x.set(null);
            y.set(null);
          }}
        />
      )}
    </>
  );
  const hasKinds = kinds.length > 1 || kind.value !== 'all';
  const hasAll = several && view.value === 'layers';
  const display = (hasKinds || hasAll) && (
    <>
      {hasKinds && (
        <Select
          name="kind"
          label={say('kind')}
          value={kind.value}
          options={(['all', ...kinds.map((one) => one.kind)] as const).map((value) => ({
            value,
            text: say(`kinds.${value}`),
          }))}
          onPick={(next) => kind.set(next, 'push')}
        />
      )}
      {hasAll && (
        <Toggle action="all-runs" text={say('all')} label={say('all.hint', { count: runs.length })} setting={all} />
      )}
    </>
  );
  return <ToolbarLine say={say} first={<Modes page={page} />} tools={tools} display={display} />;
}

function Body({ board, map }: Props & { readonly map: HeatMap | null }): JSX.Element {
  const { page } = board;
  const { t: say } = page;
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = page.theme.value;
  const scale = useMemo(() => map && scaleOf(map.measure, map.numbers), [map]);
  const colors = useMemo(() => cellColors(theme, scale?.diverges ?? false), [theme, scale?.diverges]);
  const title = map ? say(`measure.${map.measure}`) : '';
  const table = useTableView(
    page,
    'layer_health',
    title,
    () => map && tableOf(map, page),
    () => import('@insight-host/kit/table'),
  );
  if (page.allRuns.value.length === 0) return <Empty title={say('empty.no_runs')} text={say('empty.no_runs.text')} />;
  if (page.runs.value.length === 0)
    return <Empty title={say('empty.none_selected')} text={say('empty.none_selected.text')} />;
  if (board.failure.value && !map)
    return (
      <Empty title={say('failure')} text={board.failure.value}>
        <button type="button" data-action="retry" onClick={() => void board.ask()}>
          {say('retry')}
        </button>
      </Empty>
    );
  if (!map || !scale) return <Waiting board={board} />;
  if (map.all_runs.length === 0) return <Empty title={say('empty.nothing')} text={say('empty.nothing.text')} />;
  const save = (): void =>
    void (canvas.current ? canvasFile(canvas.current) : Promise.reject(new Error(title))).then(
      (blob) => page.ctx.ui.download(fileName(`layer_health_${map.measure}`, 'png', 'layer_health'), blob),
      (cause: unknown) => page.ctx.notify('error', message(cause)),
    );
  return (
    <>
      <Verdict board={board} map={map} />
      <section class={board.busy.value ? 'card main busy' : 'card main'}>
        <header>
          <Legend map={map} scale={scale} colors={colors} locale={page.locale.value} say={say} />
          <Menu
            action="export"
            icon="export"
            label={say('export.title')}
            items={() => [table.item, { action: 'export-png', text: say('export.png'), onPress: save }]}
          />
        </header>
        {table.dialog}
        {map.rows === 0 ? (
          <Empty title={say('empty.measure')} text={say('empty.measure.text')} />
        ) : (
          <HeatMapView board={board} map={map} scale={scale} colors={colors} canvas={canvas} />
        )}
        <footer data-testid="card-status">{notes(board, map)}</footer>
      </section>
    </>
  );
}

/** Room for the map, whose width decides how many columns are asked for. */
function Waiting({ board }: Props): JSX.Element {
  const place = useRef<HTMLElement>(null);
  useEffect(() => board.drawnAcross((place.current?.clientWidth ?? 0) - NAMES), []);
  return <section ref={place} class="card main busy" aria-busy="true" />;
}

/** What the map leaves out. */
function notes(board: HealthBoard, map: HeatMap): string {
  const { t: say } = board.page;
  const all = board.page.runs.value.length;
  const asked = board.runs.value.length;
  return [
    say(`rows.${map.view === 'ranks' ? 'runs' : 'layers'}`, { count: map.rows }),
    map.view === 'matrix' ? say('rows.runs', { count: map.runs.length }) : say('steps.count', { count: map.steps }),
    ...(map.columns < map.steps && map.view !== 'matrix' ? [say('merged')] : []),
    ...(map.more > 0 ? [say('layers.more', { count: map.more })] : []),
    ...(asked < all ? [say('runs.some', { shown: asked, all })] : []),
    ...(board.failure.value ? [board.failure.value] : []),
  ].join(' · ');
}
