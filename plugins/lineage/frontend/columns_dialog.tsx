import { ColumnChooser } from '@insight-host/kit/runs';
import type { JSX } from 'preact';
import type { LineageParts } from './board';
import { Layouts } from './layouts';

const DETAILED = ['custom', 'dataset', 'model', 'pipeline']; // groups that a section has several of

/** Which columns the table has, and which of them are axes. */
export function Chooser({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const { columns } = board;
  const shown = new Set(columns.shown.value);
  const all = [...columns.all.value.values()].filter(
    ({ name, count, group }) => name !== 'run' && (count > 0 || group === 'annotation'),
  );
  return (
    <ColumnChooser
      title={say('columns.title')}
      close={say('close')}
      say={say}
      columns={all.map(({ name, title, group, type, count }) => ({
        name,
        title: group === 'annotation' ? say(`column.${name}`) : group === 'scalar' ? name : title,
        group,
        detail: [
          DETAILED.includes(group) && say(`group.${group}`),
          say(`type.${type}`),
          say('columns.count', { count }),
        ]
          .filter(Boolean)
          .join(' · '),
        isAxis: type !== 'list',
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
