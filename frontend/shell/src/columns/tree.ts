/** The lines of the run table: runs, and above them the groups that they are in. */
import type { Run } from '@insight-host/api';
import { cellOf } from './cells';
import type { RunColumns } from './run_columns';

export interface GroupLine {
  readonly kind: 'group';
  /** Unique among the groups. */
  readonly id: string;
  readonly title: string;
  readonly level: number;
  readonly runs: readonly Run[];
  readonly open: boolean;
}

export interface RunLine {
  readonly kind: 'run';
  readonly run: Run;
  readonly level: number;
}

export type TableLine = GroupLine | RunLine;

interface Step {
  /** Unique in the group around it, whatever the language of the page. */
  readonly id: string;
  readonly title: string;
}

/** What a run is grouped by: groups from the outermost to the innermost. */
type Path = (run: Run) => readonly Step[];

export function pathOf(columns: RunColumns): Path | null {
  const { value: group } = columns.group;
  if (group.includes('path'))
    return (run) =>
      run.name
        .split('/')
        .slice(0, -1)
        .map((part) => ({ id: part, title: part }));
  const by = group.flatMap((key) => columns.columnOf(key) ?? []);
  if (by.length === 0) return null;
  return (run) =>
    by.map((column) => {
      const value = cellOf(column, run.name);
      if (value === undefined) return { id: column.key, title: `${column.title}: –` };
      return { id: `${column.key}=${value}`, title: `${column.title}: ${columns.textOf(column, run.name, value)}` };
    });
}

interface Group {
  readonly id: string;
  readonly title: string;
  readonly level: number;
  readonly runs: Run[];
  readonly parts: (Group | Run)[];
  readonly groups: Map<string, Group>;
}

/** Groups come where their first run comes; the runs of a folded group are left out. */
export function linesOf(runs: readonly Run[], path: Path | null, folded: ReadonlySet<string>): readonly TableLine[] {
  if (!path) return runs.map((run) => ({ kind: 'run', run, level: 1 }));
  const root: Group = { id: '', title: '', level: 0, runs: [], parts: [], groups: new Map() };
  for (const run of runs) {
    let at = root;
    for (const { id, title } of path(run)) {
      let next = at.groups.get(id);
      if (!next) {
        next = { id: `${at.id}/${id}`, title, level: at.level + 1, runs: [], parts: [], groups: new Map() };
        at.groups.set(id, next);
        at.parts.push(next);
      }
      next.runs.push(run);
      at = next;
    }
    at.parts.push(run);
  }
  const lines: TableLine[] = [];
  const add = (group: Group): void => {
    for (const part of group.parts) {
      if (!('parts' in part)) {
        lines.push({ kind: 'run', run: part, level: group.level + 1 });
        continue;
      }
      const open = !folded.has(part.id);
      lines.push({ kind: 'group', id: part.id, title: part.title, level: part.level, runs: part.runs, open });
      if (open) add(part);
    }
  };
  add(root);
  return lines;
}
