import { batch } from '@preact/signals';
import { Choice } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { TableAnswer } from '../answers/table';
import { ServerTable, valueOf } from '../table/server_table';
import type { ViewProps } from '../views';
import { warmUpText } from '../words';

const ORDER = [
  'name',
  'operator',
  'members',
  'calls',
  'total',
  'share',
  'median',
  'average',
  'minimum',
  'maximum',
  'stream',
  'grid',
  'block',
  'core',
  'registers',
  'shared_memory',
  'occupancy',
];
interface KernelsAnswer extends TableAnswer {
  /** Numbers of the steps that medians and averages leave out. */
  readonly warm_up: readonly number[];
}

const GROUPS = ['name', 'operator', 'none'] as const;

/** What ran on devices, by name, by what launched it, or each with its grid. */
export default function Kernels({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const { value: group } = board.group;
  return (
    <ServerTable<KernelsAnswer>
      board={board}
      name="kernels"
      label={say('view.kernels')}
      route="kernels"
      query={{ group, steps: board.stepsQuery.value }}
      settings={board.kernels}
      sort="-total"
      order={ORDER}
      status={(answer) =>
        [say('rows.shown', { shown: answer.total, count: answer.of }), warmUpText(board, answer.warm_up)]
          .filter(Boolean)
          .join(' · ')
      }
      titles={{ members: say('kernels.members') }}
      widths={{ name: 380, operator: 240 }}
      tools={
        <Choice
          say={say}
          name="group"
          label={say('kernels.group')}
          words="kernels.group"
          values={GROUPS}
          setting={{ value: group, set: board.group.set }}
          how="push"
        />
      }
      {...(group === 'operator'
        ? {
            onOpen: (row, answer) =>
              batch(() => {
                const operator = String(valueOf(answer, row, 'operator') ?? '');
                board.group.set('none', 'push');
                board.kernels.regex.set(operator !== '');
                board.kernels.query.set(operator && `^${operator.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);
              }),
          }
        : {})}
    />
  );
}
