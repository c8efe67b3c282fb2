/** Views that are one table each: kernels, communication, and operators whose shapes change. */
import { batch, useSignal } from '@preact/signals';
import { Select } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { CommunicationAnswer } from '../answers/cluster';
import type { TableAnswer } from '../answers/table';
import { ServerTable, valueOf } from '../table/server_table';
import type { ViewProps } from '../board';
import { rowsText, warmUpText } from '../words';

interface KernelsAnswer extends TableAnswer {
  /** Numbers of the steps that medians and averages leave out. */
  readonly warm_up: readonly number[];
}

/** What ran on devices, by name, by what launched it, or each with its grid. */
export function Kernels({ board }: ViewProps): JSX.Element {
  const isByOperator = board.filters['group']?.value === 'operator';
  const open = (operator: string): void =>
    batch(() => {
      const { query, regex } = board.tables('kernels');
      board.filters['group']?.set('none', 'push');
      regex.set(operator !== '');
      query.set(operator && `^${operator.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);
    });
  return (
    <ServerTable<KernelsAnswer>
      board={board}
      table="kernels"
      status={(answer) => [rowsText(board, answer), warmUpText(board, answer.warm_up)].filter(Boolean).join(' · ')}
      {...(isByOperator ? { onOpen: (row, answer) => open(String(valueOf(answer, row, 'operator') ?? '')) } : {})}
    />
  );
}

/** Collectives of this rank, and the links they went over. */
export function Communication({ board }: ViewProps): JSX.Element {
  const steps = useSignal<readonly number[]>([]);
  const counts = board.profiles.profile.value?.counts ?? {};
  const tables = ['operators', 'links'].filter((name) => counts[name === 'operators' ? 'collectives' : name]);
  return (
    <ServerTable<CommunicationAnswer>
      board={board}
      table="communication"
      values={{ table: tables }}
      tools={<StepChoice board={board} steps={steps.value} />}
      onAnswer={(answer) => (steps.value = answer.steps)}
    />
  );
}

/** All steps or one. */
function StepChoice({ board, steps }: ViewProps & { readonly steps: readonly number[] }): JSX.Element | null {
  const { t: say } = board.page;
  if (steps.length === 0) return null;
  const range = board.steps.value;
  return (
    <label class="choice-of">
      <span>{say('step')}</span>
      <Select
        name="communication-step"
        label={say('step')}
        value={range && range.first === range.last ? String(range.first) : ''}
        options={[
          { value: '', text: say('steps.all') },
          ...steps.map((number) => ({ value: String(number), text: String(number) })),
        ]}
        onPick={(value) => board.steps.set(value === '' ? null : { first: Number(value), last: Number(value) }, 'push')}
      />
    </label>
  );
}

/** Operators whose shapes change from step to step, call by call. */
export const Shapes = ({ board }: ViewProps): JSX.Element => <ServerTable board={board} table="shapes" />;
