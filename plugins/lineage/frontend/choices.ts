/** What is shown while the user has not chosen. */
import { sectionOf, type Column, type ColumnInfo, type Frame } from '@insight-host/kit/runs';

export const VIEWS = ['model', 'data'] as const;
export type ViewName = (typeof VIEWS)[number];

const MOST_SCALARS = 12;
const SCALARS = 4; // scalar columns in addition to those of lineage
const MOST_COLUMNS = 40;
const MOST_AXES = 8;
const OF_RUN = ['run/status', 'start_time', 'run/duration'];
const MOST_CATEGORIES = 60; // on an axis that nobody asked for

const inGroups = (columns: readonly ColumnInfo[], ...groups: readonly ColumnInfo['group'][]): readonly ColumnInfo[] =>
  groups.flatMap((group) => columns.filter((column) => column.group === group && column.count > 0));

/** Whether runs say anything of themselves but their scalars. */
function hasLineage(columns: readonly ColumnInfo[]): boolean {
  return inGroups(columns, 'hyperparameter', 'metric', 'custom', 'model', 'dataset').length > 0;
}

/** Names of the columns of the table, all of which are there. */
export function defaultColumns(columns: readonly ColumnInfo[], view: ViewName): readonly string[] {
  const last = inGroups(columns, 'scalar').filter(({ name }) => name.startsWith('last/'));
  const metrics = new Set(inGroups(columns, 'metric').map(({ title }) => title));
  const scalars = mostKnown(
    last.filter(({ name }) => !metrics.has(name.slice('last/'.length))),
    SCALARS,
  );
  const named = (names: readonly string[]): readonly ColumnInfo[] =>
    columns.filter(({ name, count }) => names.includes(name) && count > 0);
  const of = (...groups: readonly ColumnInfo['group'][]): readonly ColumnInfo[] => inGroups(columns, ...groups);
  const chosen =
    view === 'data'
      ? [...of('dataset'), ...of('pipeline'), ...of('metric')]
      : hasLineage(columns)
        ? [
            ...of('metric'),
            ...named(['loss']),
            ...scalars.filter((column) => sectionOf(column) !== 'system'),
            ...of('hyperparameter', 'custom'),
            ...named(['network', 'train_dataset_count', 'dataset_mark']),
            ...scalars.filter((column) => sectionOf(column) === 'system'),
          ]
        : last.slice(0, MOST_SCALARS);
  const ofRun = named(OF_RUN).map(({ name }) => name);
  return [...new Set(chosen.map(({ name }) => name).slice(0, MOST_COLUMNS)), ...ofRun, 'mark', 'remark'];
}

/** Those that most runs have a value in, in their order. */
function mostKnown<T extends ColumnInfo>(columns: readonly T[], most: number): readonly T[] {
  const kept = new Set([...columns].sort((left, right) => right.count - left.count).slice(0, most));
  return columns.filter((column) => kept.has(column));
}

/** Names of the axes: parameters in which runs differ, then how well they did. */
export function defaultAxes(frame: Frame, shown: readonly string[], view: ViewName): readonly string[] {
  const columns = shown
    .flatMap((name) => frame.columns.get(name) ?? [])
    .filter(({ group }) => group !== 'annotation' && group !== 'run');
  const fit = columns.filter(
    (column) => column.count > 0 && (column.isNumeric || column.hasFew(MOST_CATEGORIES)) && column.type !== 'list',
  );
  const varying = fit.filter(({ varies }) => varies);
  const isResult = ({ name, group }: ColumnInfo): boolean =>
    group === 'metric' || group === 'scalar' || name === 'loss';
  const candidates = shared(varying.length >= 2 ? varying : fit, isResult);
  const results = candidates.filter(isResult);
  const parameters = candidates.filter((column) => !isResult(column));
  const room = Math.max(MOST_AXES - parameters.length, view === 'data' ? 1 : 3);
  const last = mostKnown(results, room);
  return [...mostKnown(parameters, MOST_AXES - last.length), ...last].map(({ name }) => name);
}

/**
 * Without the columns that most runs of the best known result have no value in: a run without a value on one of the
 * axes has no line.
 */
function shared(columns: readonly Column[], isResult: (column: Column) => boolean): readonly Column[] {
  const [best] = [...columns.filter(isResult)].sort((left, right) => right.count - left.count);
  if (!best) return columns;
  const rows = best.values.flatMap((value, row) => (value === null || value === undefined ? [] : row));
  const isKnown = (column: Column): boolean =>
    2 * rows.reduce((count, row) => count + Number(!column.isMissing(row)), 0) >= rows.length;
  const kept = columns.filter(isKnown);
  return kept.length >= 2 ? kept : columns;
}
