import { Button } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts, ViewProps } from '../board';
import type { CompareAnswer } from '../answers/operators';
import type { ProfileInfo } from '../answers/profile';
import { ReadingBase } from '../reading_state';
import { ServerTable, valueOf } from '../table/server_table';
import { timeCell, type TimeUnit } from '../units';
import { rowsText } from '../words';
import { ComparedProfiles, leavesOutliers } from './profiles';
import { CompareSummary, WhatCompared } from './summary';
import { Sides } from '../operators/sides';

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
  return (
    <>
      <ReadingBase key={`reading ${key}`} board={board} base={base} />
      {board.compared.value === 'summary' ? (
        <CompareSummary key={key} board={board} base={base} />
      ) : (
        <Differences key={key} board={board} base={base} />
      )}
    </>
  );
}

function Differences({ board, base }: ViewProps & { readonly base: ProfileInfo }): JSX.Element {
  const { t: say } = board.page;
  const highest = useSignal({ of: '', value: 0 });
  const { value: table } = board.compared;
  const listed = [table, board.by.value, board.per.value, board.side.value].join();
  return (
    <ServerTable<CompareAnswer>
      board={board}
      table="compare"
      query={{ base_run: base.run, base_profile: base.profile, table }}
      without={table === 'kernels' ? ['by', 'side'] : []}
      status={(answer) =>
        [
          rowsText(board, answer),
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
      first={<WhatCompared board={board} />}
      tools={table === 'kernels' ? null : <Sides board={board} />}
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
