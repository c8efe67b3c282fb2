import { ColumnChooser } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { VIEWS, type Layout, type ViewName } from './columns';
import { isOffered, STATUS, titleOf } from './host_columns';
import { SavedEntries } from './saved_entries';

const DETAILED = ['custom', 'dataset', 'model', 'pipeline']; // groups that a section has several of

/** Which columns the table has, and which of them are axes. */
export function Chooser({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const { columns } = board;
  const shown = new Set(columns.shown.value);
  const all = [...columns.all.value.values()].filter(isOffered);
  return (
    <ColumnChooser
      title={say('columns.title')}
      close={say('close')}
      say={say}
      columns={all.map(({ name, title, group, type, count }) => ({
        name,
        title: titleOf(board.page, { name }) ?? (group === 'scalar' ? name : title),
        group,
        detail: [
          DETAILED.includes(group) && say(`group.${group}`),
          say(`type.${type}`),
          say('columns.count', { count }),
        ]
          .filter(Boolean)
          .join(' · '),
        isAxis: type !== 'list' && name !== STATUS, // a brush of words would not outlive another language
      }))}
      shown={shown}
      onSet={(names, on) =>
        columns.setShown(
          on
            ? [...columns.shown.value, ...names.filter((name) => !shown.has(name))]
            : columns.shown.value.filter((name) => !names.includes(name)),
        )
      }
      axes={{
        names: new Set(columns.wantedAxes.value),
        toggle: (name) => {
          const { value: axes } = columns.wantedAxes;
          columns.setAxes(axes.includes(name) ? axes.filter((axis) => axis !== name) : [...axes, name]);
        },
      }}
      onDefault={() => {
        columns.setShown(null);
        columns.setAxes(null);
      }}
      onClose={() => (board.dialog.value = null)}
    >
      <Layouts board={board} />
    </ColumnChooser>
  );
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((name) => typeof name === 'string');

const isLayout = (value: Partial<Layout> | null): value is Layout =>
  value !== null && VIEWS.includes(value.view as ViewName) && isNames(value.columns) && isNames(value.axes);

/** Layouts of the table and the plot under names. */
function Layouts({ board }: { readonly board: LineageParts }): JSX.Element | null {
  const show = (value: unknown): boolean => {
    const layout = value as Partial<Layout> | null;
    if (!isLayout(layout)) return false;
    board.columns.lay(layout);
    return true;
  };
  return <SavedEntries board={board} kind="layout" now={() => board.columns.layout} show={show} />;
}
