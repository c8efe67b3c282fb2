import { batch } from '@preact/signals';
import { Button, Choice } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { GROUPINGS, OPERATOR_KEYS, type Grouping } from '../settings';
import type { OperatorsAnswer } from '../answers/operators';
import type { Row } from '../answers/table';
import { ServerTable, valueOf } from '../table/server_table';
import { inUnit, shareText, unitSign, type TimeUnit } from '../units';
import type { ViewProps } from '../views';
import { warmUpText } from '../words';
import { OperatorPanel } from './operator_panel';
import { OperatorShares } from './operator_shares';

const ORDER = [
  'name',
  'type',
  'members',
  'calls',
  'total',
  'self',
  'share',
  'median',
  'average',
  'minimum',
  'maximum',
  'p95',
  'per_step',
  'device_total',
  'device_self',
  'flops',
  'bytes',
  'core',
  'scope',
  'shapes',
  'information',
];
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
  const type = board.type.value;
  const query = { by, side: board.side.value || null, type, steps: board.stepsQuery.value };
  const keyOf = (answer: OperatorsAnswer, row: Row): readonly string[] =>
    OPERATOR_KEYS.map((name) => (KEYS[by].includes(name) ? String(valueOf(answer, row, name) ?? '') : ''));
  const opened = board.opened.value;
  const open = (key: readonly string[]): void =>
    board.opened.set(key.every((part, i) => part === opened[i]) ? [] : key);
  return (
    <div class="split">
      <ServerTable<OperatorsAnswer>
        board={board}
        name="operators"
        label={say('view.operators')}
        route="operators"
        query={query}
        settings={board.operators}
        sort="-share"
        order={by === 'scope' ? ['scope', ...ORDER] : ORDER}
        unitFor={wholeOf}
        onAnswer={(answer) => (board.profiles.sides.value = answer.sides)}
        tools={<Tools board={board} />}
        above={(_, unit) => (
          <OperatorShares board={board} query={query} unit={unit} onType={(kind) => board.navigation.openType(kind)} />
        )}
        status={(answer, unit) => statusOf(board, answer, unit)}
        widths={by === 'scope' ? { scope: 320 } : by === 'type' ? { type: 220 } : { name: 420 }}
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
  const parts = [board.page.t('rows.shown', { shown: answer.total, count: answer.of })];
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
      <Choice
        say={say}
        name="by"
        label={say('operators.by')}
        words="operators.by"
        values={GROUPINGS}
        setting={{ value: board.by.value, set: (value) => groupBy(board, value) }}
      />
      <Sides board={board} />
      <Choice
        say={say}
        name="chart"
        label={say('operators.chart')}
        words="operators.chart"
        values={['pie', 'bars', 'none']}
        setting={board.chart}
      />
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

/** Host or device, where operators ran on both. */
export function Sides({ board }: { readonly board: ProfilerParts }): JSX.Element | null {
  const { t: say } = board.page;
  // of which both sides are known, before the first answer says so
  const isGpu = board.profiles.profile.value?.platform === 'gpu';
  const sides =
    board.profiles.sides.value.length > 0 ? board.profiles.sides.value : isGpu ? (['host', 'device'] as const) : [];
  if (sides.length < 2) return null;
  return (
    <Choice
      say={say}
      name="side"
      label={say('operators.side')}
      values={sides}
      setting={{ value: board.side.value || 'device', set: board.side.set }}
      how="push"
    />
  );
}

function groupBy(board: ProfilerParts, value: Grouping): void {
  batch(() => {
    board.by.set(value, 'push');
    board.opened.set([]);
    if (value === 'type' || value === 'scope') board.type.set(null);
  });
}
