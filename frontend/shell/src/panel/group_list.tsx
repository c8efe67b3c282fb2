/** The run list with a row for each group: its look, its number of runs, and the mean of what the list is sorted by. */
import { Icon } from '@insight-host/kit';
import type { Run, RunGroup } from '@insight-host/api';
import { useComputed, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useSize } from '@insight-host/kit/lab';
import { usePage } from '../state/page';
import type { RunMetric } from '../state/runs';
import { pressed, triState } from '../state/selection';
import { SelectRuns } from '../views/parts';
import { RunRowView, swatchOf, useNames } from '../views/run_list';
import { Spark, words } from './metrics';

interface ListedGroup {
  readonly group: RunGroup;
  /** Those that match the filter, in the order of the list. */
  readonly runs: readonly Run[];
  /** Of the metric, of the runs that have it, the smallest first. */
  readonly values: Float64Array;
  readonly mean: number;
  /** From the smallest to the largest value of all groups. */
  readonly range: readonly [number, number];
}

/** Groups with runs in the list; by the mean of what the runs are sorted by, where that is a number. */
function listedOf(
  groups: readonly RunGroup[],
  rows: readonly Run[],
  metric: RunMetric | null,
  isDown: boolean,
): readonly ListedGroup[] {
  const place = new Map(groups.flatMap((group, at) => group.runs.map((run) => [run, at] as const)));
  const runs = groups.map((): Run[] => []);
  for (const run of rows) runs[place.get(run.name) ?? -1]?.push(run);
  let range: readonly [number, number] = [Infinity, -Infinity];
  const found = groups.flatMap((group, at): Omit<ListedGroup, 'range'> | readonly never[] => {
    const own = runs[at] ?? [];
    if (own.length === 0) return [];
    const all = metric ? own.map(({ name }) => metric.valueOf(name)).filter(Number.isFinite) : [];
    const values = Float64Array.from(all).sort();
    range = [Math.min(range[0], values[0] ?? Infinity), Math.max(range[1], values.at(-1) ?? -Infinity)];
    return { group, runs: own, values, mean: values.reduce((sum, value) => sum + value, 0) / values.length };
  });
  const listed = found.map((one): ListedGroup => ({ ...one, range }));
  if (!metric || listed.every(({ mean }) => Number.isNaN(mean))) return listed;
  const sign = isDown ? -1 : 1;
  const rank = (mean: number): number => (Number.isNaN(mean) ? Infinity : sign * mean);
  return [...listed].sort((a, b) => rank(a.mean) - rank(b.mean) || 0);
}

export function GroupList() {
  const page = usePage();
  const { runs } = page;
  const listed = useComputed(() => {
    const down = runs.sort.value.find((key) => /^[+-]/.test(key))?.startsWith('-') ?? false;
    return listedOf(runs.groups.value, runs.rows.value, runs.metric.value, down);
  }).value;
  const place = useRef<HTMLDivElement>(null);
  const { width } = useSize(place).value;
  const titles = useMemo(() => listed.map(({ group }) => group.title), [listed]);
  const names = useNames(place, titles, [width, listed.length === 0, runs.metric.value]);
  return (
    <div
      ref={place}
      class="ih-run-list ih-group-list"
      role="group"
      aria-label={page.t.value('runs')}
      data-testid="run-groups"
    >
      {listed.map((one, at) => (
        <Group key={one.group.key} {...one} title={names[at] ?? one.group.title} width={width} />
      ))}
      {listed.length === 0 && <p class="ih-muted ih-run-none">{page.t.value('runs.none')}</p>}
    </div>
  );
}

interface GroupProps extends ListedGroup {
  /** As much of its title as fits. */
  readonly title: string;
  /** Of the list, in pixels. */
  readonly width: number;
}

function Group({ group, runs: own, values, mean, range, title, width }: GroupProps) {
  const page = usePage();
  const { runs } = page;
  const open = useSignal(false);
  const anchor = useRef<string | null>(null);
  const selected = runs.selectedSet.value;
  const state = triState(selected, own);
  const metric = runs.metric.value;
  const names = own.map(({ name }) => name);
  const rows = useRef<HTMLDivElement>(null);
  const called = useMemo(() => own.map(({ displayName }) => displayName), [own]);
  const short = useNames(rows, called, [width, open.value, metric, page.comparing.value]);
  const hover = (): void => page.hovered.set(names);
  const leave = (): void => page.hovered.set([]);
  const press = (run: Run, range: boolean): void => {
    if (page.comparing.value?.pick(run.name)) return;
    const next = pressed(selected, own, run.name, range ? anchor.current : null);
    runs.select(next.selected);
    anchor.current = next.anchor;
  };
  return (
    <>
      <div
        class={`ih-run ih-group-row${state === 'none' ? ' ih-unticked' : ''}`}
        data-group={group.key}
        title={group.title}
        onPointerEnter={hover}
        onPointerLeave={leave}
        onFocusIn={hover}
        onFocusOut={leave}
      >
        <SelectRuns rows={own} label={group.title} />
        <span class="ih-swatch" style={swatchOf(group, state !== 'none')} />
        <button
          type="button"
          class="ih-group-title"
          aria-expanded={open.value}
          onClick={() => (open.value = !open.value)}
        >
          <span class="ih-run-name">{title}</span>
          <span class="ih-muted">{own.length.toLocaleString()}</span>
          <Icon name={open.value ? 'open' : 'closed'} />
        </button>
        {metric && Number.isFinite(mean) && (
          <span
            class="ih-run-metric"
            title={words(page, 'group.mean', {
              metric: metric.title,
              count: values.length,
              low: metric.text(values[0] ?? NaN),
              high: metric.text(values.at(-1) ?? NaN),
            })}
          >
            {metric.text(mean)}
            <Spark color={group.color} dash={group.dash} values={values} range={range} />
          </span>
        )}
      </div>
      {open.value && (
        <div ref={rows} role="listbox" aria-multiselectable="true" aria-label={group.title}>
          {own.map((run, at) => (
            <RunRowView
              key={run.name}
              run={run}
              short={short[at]}
              at={at}
              count={own.length}
              top={0}
              selected={selected.has(run.name)}
              active={false}
              onPress={press}
              onOnly={(only) => runs.selectOnly(only)}
              naming={page.naming.value === run.name}
            />
          ))}
        </div>
      )}
    </>
  );
}
