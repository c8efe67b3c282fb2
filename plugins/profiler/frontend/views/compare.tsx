import { Button, Choice } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { GROUPINGS } from '../settings';
import type { CompareAnswer } from '../answers/operators';
import type { ProfileInfo } from '../answers/profile';
import { ServerTable, valueOf } from '../table/server_table';
import { timeCell, type TimeUnit } from '../units';
import type { ViewProps } from '../views';
import { ComparedProfiles, leavesOutliers } from './compared_profiles';
import { CompareSummary, WhatCompared } from './compare_summary';
import { Sides } from './operators';

const ORDER = [
  'name',
  'type',
  'base',
  'value',
  'difference',
  'ratio',
  'share',
  'base_calls',
  'calls',
  'scope',
  'shapes',
];

/** Two profiles: by how much each operator became slower or faster. */
export default function Compare({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const { value: base } = board.profiles.base;
  if (!base) {
    return (
      <div class="empty" data-testid="empty">
        <h2>{say('compare.none')}</h2>
        <p>{say('compare.none.text')}</p>
        <Button
          action="pick-base"
          icon="compare"
          text={say('compare.title')}
          label={say('compare.title')}
          onPress={() => (board.dialog.value = 'base')}
        />
      </div>
    );
  }
  const key = `${base.run}\n${base.profile}`;
  return board.compared.value === 'summary' ? (
    <CompareSummary key={key} board={board} base={base} />
  ) : (
    <Differences key={key} board={board} base={base} />
  );
}

function Differences({ board, base }: ViewProps & { readonly base: ProfileInfo }): JSX.Element {
  const { t: say } = board.page;
  const by = board.by.value;
  const { value: per } = board.per;
  const highest = useSignal({ of: '', value: 0 });
  const { value: table } = board.compared;
  const isOfKernels = table === 'kernels';
  const listed = [table, by, per, board.side.value].join();
  return (
    <ServerTable<CompareAnswer>
      board={board}
      name="compare"
      label={say('view.compare')}
      route="compare"
      query={{
        base_run: base.run,
        base_profile: base.profile,
        table,
        per,
        steps: board.stepsQuery.value,
        by: isOfKernels ? null : by,
        side: isOfKernels ? null : board.side.value || null,
      }}
      settings={board.comparison}
      sort="-change"
      order={isOfKernels ? ORDER : by === 'type' ? ['type', ...ORDER] : by === 'scope' ? ['scope', ...ORDER] : ORDER}
      hidden={['change', 'share']}
      widths={{ name: isOfKernels ? 340 : 420, difference: 230, type: by === 'type' ? 220 : 150 }}
      status={(answer) =>
        [
          say('rows.shown', { shown: answer.total, count: answer.of }),
          say('compare.new', { count: answer.new }),
          say('compare.gone', { count: answer.gone }),
          answer.per !== 'total' &&
            leavesOutliers(answer) &&
            Object.keys(answer.limits).length === 0 &&
            say('compare.usual'),
        ]
          .filter(Boolean)
          .join(' · ')
      }
      tools={
        <>
          <WhatCompared board={board} />
          {!isOfKernels && (
            <Choice
              say={say}
              name="by"
              label={say('operators.by')}
              words="operators.by"
              values={GROUPINGS}
              setting={{ value: by, set: board.by.set }}
              how="push"
            />
          )}
          <Choice
            say={say}
            name="per"
            label={say('compare.per')}
            words="compare.per"
            values={['total', 'step', 'call']}
            setting={{ value: per, set: board.per.set }}
            how="push"
          />
          {!isOfKernels && <Sides board={board} />}
        </>
      }
      onAnswer={(answer) => {
        board.profiles.sides.value = answer.sides;
        const before = highest.peek().of === listed ? highest.peek().value : 0;
        highest.value = {
          of: listed,
          value: answer.rows.reduce(
            (high, row) => Math.max(high, Math.abs(Number(valueOf(answer, row, 'difference') ?? 0))),
            before,
          ),
        };
      }}
      above={(answer) => <ComparedProfiles board={board} base={base} answer={answer} />}
      views={{
        difference: (value, _, unit) =>
          typeof value === 'number' ? (
            <Diverging board={board} value={value} highest={highest.value.value} unit={unit} />
          ) : null,
        ratio: (value) => (
          <span>
            {typeof value === 'number'
              ? `${value.toLocaleString(board.page.locale.value, { maximumFractionDigits: 2 })}×`
              : say('compare.only')}
          </span>
        ),
      }}
    />
  );
}

/** A bar to the right for slower, to the left for faster. */
function Diverging({
  board,
  value,
  highest,
  unit,
}: {
  readonly board: ProfilerParts;
  readonly value: number;
  readonly highest: number;
  readonly unit: TimeUnit;
}): JSX.Element {
  const width = highest > 0 ? Math.min(50, (50 * Math.abs(value)) / highest) : 0;
  return (
    <span class={value > 0 ? 'diverging slower' : value < 0 ? 'diverging faster' : 'diverging'}>
      <span class="track" aria-hidden="true">
        <span
          class="bar"
          style={value > 0 ? { left: '50%', width: `${width}%` } : { right: '50%', width: `${width}%` }}
        />
      </span>
      <span class="number">
        {value > 0 ? '+' : value < 0 ? '−' : ''}
        {timeCell(Math.abs(value), unit, board.page.locale.value)}
      </span>
    </span>
  );
}
