import { Choice, Select } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { CommunicationAnswer } from '../answers/cluster';
import { ServerTable } from '../table/server_table';
import type { ViewProps } from '../views';

const ORDERS = {
  operators: ['name', 'kind', 'calls', 'total', 'share', 'wait', 'transit', 'bytes'],
  links: ['source', 'target', 'kind', 'calls', 'total', 'bytes', 'bandwidth'],
} as const;

/** Collectives of this rank, and the links they went over. */
export default function Communication({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const { value: table } = board.communicationTable;
  const steps = useSignal<readonly number[]>([]);
  const range = board.steps.value;
  const step = range && range.first === range.last ? range.first : null;
  const counts = board.profiles.profile.value?.counts ?? {};
  const tables = (['operators', 'links'] as const).filter(
    (name) => (counts[name === 'operators' ? 'collectives' : 'links'] ?? 0) > 0,
  );
  const shown = tables.includes(table) ? table : (tables[0] ?? 'operators');
  return (
    <ServerTable<CommunicationAnswer>
      key={shown}
      board={board}
      name={`communication-${shown}`}
      label={say('view.communication')}
      route="communication"
      query={{ table: shown, steps: board.stepsQuery.value }}
      settings={board.communication}
      sort="-total"
      order={ORDERS[shown]}
      widths={{ source: 110, target: 110, kind: 120 }}
      tools={
        <>
          {tables.length > 1 && (
            <Choice
              say={say}
              name="communication-table"
              label={say('communication.table')}
              words="communication"
              values={tables}
              setting={{ value: shown, set: board.communicationTable.set }}
              how="push"
            />
          )}
          <StepChoice board={board} steps={steps.value} step={step} />
        </>
      }
      onAnswer={(answer) => (steps.value = answer.steps)}
    />
  );
}

/** All steps or one. */
function StepChoice({
  board,
  steps,
  step,
}: {
  readonly board: ProfilerParts;
  readonly steps: readonly number[];
  readonly step: number | null;
}): JSX.Element | null {
  const { t: say } = board.page;
  if (steps.length === 0) return null;
  return (
    <label class="choice-of">
      <span>{say('step')}</span>
      <Select
        name="communication-step"
        label={say('step')}
        value={step === null ? '' : String(step)}
        options={[
          { value: '', text: say('steps.all') },
          ...steps.map((number) => ({ value: String(number), text: String(number) })),
        ]}
        onPick={(value) => board.steps.set(value === '' ? null : { first: Number(value), last: Number(value) }, 'push')}
      />
    </label>
  );
}
