/** The parallel strategy as tables: the same as the drawing, for reading, sorting and saving. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ProfilerParts } from '../board';
import type { StrategyAnswer } from '../answers/strategy';
import { LocalTable } from '../table/local_table';
import { operatorKey } from './drawing';
import { axesText, changeText, cutText, matrixText, rangesText, shapeText } from './words';

interface TableProps {
  readonly board: ProfilerParts;
  readonly answer: StrategyAnswer;
}

const OPERATORS = {
  type: 'text',
  stage: 'text',
  strategy: 'text',
  shards: 'count',
  shard: 'text',
  bytes: 'bytes',
  communication: 'text',
  group: 'text',
  sent: 'bytes',
  name: 'text',
} as const;

export function OperatorTable({ board, answer }: TableProps): JSX.Element {
  const { t: say } = board.page;
  const rows = useMemo(
    () =>
      answer.stages.flatMap((stage) =>
        stage.operators.map((operator) => ({
          ...operator,
          stage: String(stage.stage),
          strategy: cutText(operator) || null,
          shard: operator.output_shapes.map(shapeText).join('; ') || null,
          communication: operator.communication && operator.communication.kind,
          group: operator.communication ? rangesText(operator.communication.ranks) || null : null,
          sent: operator.communication?.sent ?? null,
          name: operator.full_name || operator.id,
          key: operatorKey(stage.stage, operator.id),
        })),
      ),
    [answer],
  );
  const keys = useMemo(() => new Map(rows.map(({ stage, name, key }) => [`${stage}\n${name}`, key])), [rows]);
  const keyOf = (row: { readonly stage: unknown; readonly name: unknown }): string =>
    keys.get(`${String(row.stage)}\n${String(row.name)}`) ?? '';
  const opened = board.strategyOperator;
  return (
    <LocalTable
      board={board}
      name="strategy-operators"
      title={say('strategy.operators', { count: rows.length })}
      columns={OPERATORS}
      rows={rows}
      sort=""
      widths={{ type: 120, stage: 76, strategy: 190, shards: 80, shard: 130, name: 420 }}
      onOpen={(row) => opened.set(opened.peek() === keyOf(row) ? null : keyOf(row))}
      isOpen={(row) => opened.value === keyOf(row)}
    />
  );
}

export function ParameterTable({ board, answer }: TableProps): JSX.Element | null {
  const { t: say } = board.page;
  const rows = useMemo(
    () =>
      answer.stages.flatMap((stage) =>
        stage.parameters.map(({ name, data_type: kind, shape, parts, shard, bytes, devices, axes }) => ({
          name,
          stage: String(stage.stage),
          data_type: kind.replace(/^DT_/, '').toLowerCase() || null,
          shape: shape && shapeText(shape),
          shards: parts && parts.reduce((product, part) => product * part, 1),
          shard: shard && shapeText(shard),
          bytes,
          strategy:
            devices && axes ? `${matrixText(devices)} → ${axesText(devices, axes)}` : parts && `[${parts.join(', ')}]`,
        })),
      ),
    [answer],
  );
  if (rows.length === 0) return null;
  return (
    <LocalTable
      board={board}
      name="strategy-parameters"
      title={say('strategy.parameters', { count: rows.length })}
      columns={{
        name: 'text',
        stage: 'text',
        data_type: 'text',
        shape: 'text',
        shards: 'count',
        shard: 'text',
        bytes: 'bytes',
        strategy: 'text',
      }}
      rows={rows}
      sort=""
      widths={{ name: 300, stage: 76, strategy: 200 }}
    />
  );
}

export function ChangeTable({ board, answer }: TableProps): JSX.Element | null {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const rows = useMemo(
    () =>
      answer.stages.flatMap((stage) => {
        const names = new Map(stage.operators.map(({ id, full_name: name }) => [id, name || id]));
        return stage.changes.map((change) => ({
          from: names.get(change.from) ?? change.from,
          to: names.get(change.to) ?? change.to,
          stage: String(stage.stage),
          before: `[${change.before.join(', ')}]`,
          after: `[${change.after.join(', ')}]`,
          communication: changeText(change, locale) || say('strategy.cut_only'),
        }));
      }),
    [answer, locale],
  );
  if (rows.length === 0) return null;
  return (
    <LocalTable
      board={board}
      name="strategy-changes"
      title={say('strategy.changes_table', { count: rows.length })}
      note={say('strategy.changes_note')}
      columns={{ from: 'text', to: 'text', stage: 'text', before: 'text', after: 'text', communication: 'text' }}
      rows={rows}
      sort=""
      widths={{ from: 300, to: 300, stage: 76, communication: 200 }}
    />
  );
}
