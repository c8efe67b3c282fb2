import { batch } from '@preact/signals';
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts, ViewProps } from '../board';
import { type Grouping, OPERATOR_KEYS } from '../settings';
import type { OperatorsAnswer } from '../answers/operators';
import type { Row } from '../answers/table';
import { ServerTable, valueOf } from '../table/server_table';
import { inUnit, shareText, type TimeUnit, unitSign } from '../units';
import { rowsText, warmUpText } from '../words';
import { OperatorPanel } from './panel';
import { Sides } from './sides';

/** By a grouping: what tells its rows apart, in the order of OPERATOR_KEYS. */
const KEYS: Readonly<Record<Grouping, readonly string[]>> = {
  type: ['type'],
  scope: ['scope'],
  name: ['name', 'type', 'scope'],
  shape: ['name', 'type', 'scope', 'shapes'],
};

export default function Operators({ board }: ViewProps): JSX.Element {
  const { t: say } = board.page;
  const by = board.by.value;
  const query = { by, side: board.side.value || null, type: board.type.value, steps: board.stepsQuery.value };
  const keyOf = (answer: OperatorsAnswer, row: Row): readonly string[] =>
    OPERATOR_KEYS.map((name) => (KEYS[by].includes(name) ? String(valueOf(answer, row, name) ?? '') : ''));
  const opened = board.opened.value;
  const open = (key: readonly string[]): void =>
    board.opened.set(key.every((part, i) => part === opened[i]) ? [] : key);
  return (
    <div class="split">
      <ServerTable<OperatorsAnswer>
        board={board}
        table="operators"
        onFilter={(_, value) => groupBy(board, value as Grouping)}
        unitFor={wholeOf}
        onAnswer={(answer) => (board.profiles.sides.value = answer.sides)}
        tools={<Tools board={board} />}
        status={(answer, unit) => statusOf(board, answer, unit)}
        views={
          by === 'type'
            ? {
                type: (value) => (
                  <span class="with-tool">
                    <span class="name">{String(value ?? '—')}</span>
                    <button
                      type="button"
                      class="tool seldom"
                      tabIndex={-1}
                      data-action="details"
                      title={say('operators.details')}
                      aria-label={say('operators.details')}
                      onClick={(event) => {
                        event.stopPropagation();
                        open(['', String(value ?? ''), '', '']);
                      }}
                    >
                      ⓘ
                    </button>
                  </span>
                ),
              }
            : {}
        }
        onOpen={(row, answer) =>
          by === 'type'
            ? board.navigation.openType(String(valueOf(answer, row, 'type') ?? ''))
            : open(keyOf(answer, row))
        }
        isOpen={(row, answer) => opened.length > 0 && keyOf(answer, row).every((part, i) => part === opened[i])}
      />
      {opened.length > 0 && <OperatorPanel board={board} by={by} opened={opened} query={query} />}
    </div>
  );
}

/** A twentieth of the time of all operators: what the biggest take, about, whatever is searched. */
function wholeOf({ sum }: OperatorsAnswer): number | null {
  const own = sum.self ?? sum.total;
  return own === null ? null : own / (sum.share || 1) / 20;
}

function statusOf(board: ProfilerParts, answer: OperatorsAnswer, unit: TimeUnit): string {
  const locale = board.page.locale.value;
  const { sum } = answer;
  const own = sum.self ?? sum.total;
  const parts = [rowsText(board, answer)];
  if (sum.calls !== null) parts.push(board.page.t('operators.calls', { count: sum.calls }));
  if (own !== null)
    parts.push(
      `${inUnit(own, unit).toLocaleString(locale, { maximumFractionDigits: 3 })} ` +
        `${unitSign(unit)}${sum.share === null ? '' : ` (${shareText(sum.share, locale)})`}`,
    );
  return [...parts, warmUpText(board, answer.warm_up)].filter(Boolean).join(' · ');
}

function Tools({ board }: { readonly board: ProfilerParts }): JSX.Element {
  const { t: say } = board.page;
  const { value: type } = board.type;
  return (
    <>
      <Sides board={board} />
      {type !== null && (
        <Button
          action="leave-type"
          icon="close"
          text={type || '—'}
          label={say('operators.leave', { type })}
          onPress={() => board.navigation.leaveType()}
        />
      )}
    </>
  );
}

function groupBy(board: ProfilerParts, value: Grouping): void {
  batch(() => {
    board.by.set(value, 'push');
    board.opened.set([]);
    if (value === 'type' || value === 'scope') board.type.set(null);
  });
}
