import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { OperatorsAnswer } from '../answers/operators';
import type { Row } from '../answers/table';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { Shares, type Part } from '../figures/shares';
import { namesApart } from '../names_apart';
import { valueOf } from '../table/server_table';
import { unitSign, type TimeUnit } from '../units';
import { useProfileAnswer } from '../use_answer';

const TOP = 20;
const REST = '(rest)';

interface OperatorSharesProps {
  readonly board: ProfilerParts;
  readonly query: Readonly<Record<string, string | null>>;
  readonly unit: TimeUnit;
  readonly onType: (type: string) => void;
}

/** The twenty that took most of the time, and all others together. */
export function OperatorShares({ board, query, unit, onType }: OperatorSharesProps): JSX.Element | null {
  const { t: say } = board.page;
  const { value: chart } = board.chart;
  const settings = board.operators;
  const asked = useProfileAnswer<OperatorsAnswer>(board, 'operators', {
    ...query,
    q: settings.query.value || null,
    regex: settings.regex.value ? 1 : null,
    field: settings.field.value,
    sort: 'share',
    order: 'desc',
    limit: TOP,
    offset: 0,
  });
  const answer = asked.value;
  if (chart === 'none') return null;
  // the table stays where it is
  if (!answer) return asked.error === null ? <div class="figure room" aria-busy="true" /> : null;
  if (answer.rows.length === 0) return null;
  const parts = partsOf(board, answer);
  const byType = answer.by === 'type';
  return (
    <Figure
      board={board}
      name={`operators-by-${answer.by}`}
      title={say(`operators.shares.${answer.by}`, { unit: unitSign(unit) })}
      hint={say('operators.shares.hint')}
      busy={asked.busy}
      data={() => ({
        head: ['name', 'time_ns', 'share'],
        rows: parts.map(({ label, value, share }) => [label, value, share]),
      })}
    >
      <Shares
        board={board}
        parts={parts}
        unit={unit}
        label={say(`operators.shares.${answer.by}`, { unit: unitSign(unit) })}
        as={chart}
        {...(byType ? { onPress: (part: Part) => onType(part.key) } : {})}
      />
    </Figure>
  );
}

export function partsOf(board: ProfilerParts, answer: OperatorsAnswer): readonly Part[] {
  const ink = inkOf(board.page.theme.value);
  const text = (row: Row, name: string): string => String(valueOf(answer, row, name) ?? '');
  const number = (row: Row, name: string): number | null => {
    const value = valueOf(answer, row, name);
    return typeof value === 'number' ? value : null;
  };
  const names = namesApart(
    answer.rows.map((row) => ({ name: text(row, 'name') || text(row, 'type'), scope: text(row, 'scope') })),
  );
  const parts = answer.rows.map((row, i): Part => {
    const label =
      answer.by === 'type'
        ? text(row, 'type')
        : answer.by === 'scope'
          ? text(row, 'scope')
          : [names[i], answer.by === 'shape' ? text(row, 'shapes') : ''].filter(Boolean).join(' ');
    return {
      key: answer.by === 'type' ? text(row, 'type') : `${i}`,
      label: label || '—',
      value: number(row, 'self') ?? number(row, 'total') ?? 0,
      share: number(row, 'share') ?? 0,
      color: ink.rank(i),
    };
  });
  const { other } = answer;
  const rest = other.self ?? other.total;
  if (other.rows > 0 && rest !== null)
    parts.push({
      key: REST,
      label: board.page.t('operators.other', { count: other.rows }),
      value: rest,
      share: other.share ?? 0,
      color: ink.other,
      isRest: true,
    });
  return parts;
}
