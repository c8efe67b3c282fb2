import { Empty, Select, TableButton, valueText } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { Group, ImportanceAnswer, Parameter } from './answers';
import type { LineageParts } from './board';
import { importanceTable } from './chart_tables';
import type { Column } from './frame';
import { Distribution } from './distribution';
import { Scatter } from './scatter';
import { useAnswer } from './use_answer';

/** Columns that can say how well a run did. */
export function targetsOf(board: LineageParts): readonly Column[] {
  const own = new Set([...board.columns.shown.value, ...board.columns.axisNames.value, board.target.value]);
  const all = [...(board.frame.value?.columns.values() ?? [])].filter((column) => column.isNumeric && column.count > 0);
  const of = (group: Group): readonly Column[] => all.filter((column) => column.group === group);
  const results = [
    ...of('metric'),
    ...of('model').filter(({ name }) => name === 'loss'),
    ...of('scalar').filter(({ name }) => own.has(name)),
  ];
  return results.length > 0 ? results : all.filter(({ name }) => own.has(name));
}

/** How parameters go with a target, and one of them against it. */
export function Analysis({ board }: { readonly board: LineageParts }): JSX.Element {
  const { t: say } = board.page;
  const targets = targetsOf(board);
  const target = targets.find(({ name }) => name === board.target.value) ?? targets[0] ?? null;
  const where = board.where.problem.value ? '' : board.where.text.value.trim();
  const { text: filter, whole } = board.rows.conditions.value;
  const { value: version } = board.loading.version;
  const { value: answer, error } = useAnswer(target && JSON.stringify([target.name, where, filter, version]), () =>
    board.page.ctx.data.json<ImportanceAnswer>(
      'importance',
      { target: target?.name, where: where || null, filter },
      { signal: board.page.ctx.signal },
    ),
  );
  const parameters = (answer?.parameters ?? []).filter(({ name }) => name !== target?.name);
  const chosen =
    board.parameter.value ?? parameters.find(({ pearson }) => pearson !== null)?.name ?? parameters[0]?.name ?? null;
  const against = chosen === null ? null : board.columns.axis(chosen);
  return (
    <aside class="analysis" data-testid="analysis" aria-label={say('analysis.title')}>
      <h3>{say('analysis.title')}</h3>
      {target === null ? (
        <Empty title={say('analysis.none')} text={say('analysis.none.text')} />
      ) : (
        <>
          <label class="target">
            <span>{say('target')}</span>
            <Select
              name="target"
              label={say('target')}
              value={target.name}
              options={targets.map(({ name }) => ({ value: name, text: name }))}
              onPick={(name) => board.target.set(name)}
            />
          </label>
          {answer && (
            <p class="hint" data-testid="importance-runs">
              {say('importance.runs', { count: answer.matched })}
              {!whole && ` ${say('importance.hidden')}`}
              {parameters.length > 0 && (
                <TableButton
                  page={board.page}
                  name={`${target.name} importance`}
                  title={say('importance')}
                  data={() => importanceTable(board, parameters)}
                  load={() => import('@insight-host/kit/table')}
                />
              )}
            </p>
          )}
          <Distribution board={board} target={target} />
          {error && <p class="problem">{error}</p>}
          <ul class="importance" data-testid="importance" aria-label={say('importance')}>
            {parameters.map((parameter) => (
              <Importance key={parameter.name} board={board} parameter={parameter} chosen={parameter.name === chosen} />
            ))}
          </ul>
          {answer && parameters.length === 0 && <p class="hint">{say('importance.none')}</p>}
          {against && (
            <Scatter
              board={board}
              x={against}
              y={board.columns.axis(target.name)}
              parameters={board.columns.axes.value.map(({ column }) => column)}
            />
          )}
        </>
      )}
    </aside>
  );
}

interface ImportanceProps {
  readonly board: LineageParts;
  readonly parameter: Parameter;
  readonly chosen: boolean;
}

function Importance({ board, parameter, chosen }: ImportanceProps): JSX.Element {
  const { name, title, count, pearson, spearman, reason } = parameter;
  const { t: say } = board.page;
  const hint =
    pearson === null
      ? say(`reason.${reason ?? 'too_few'}`, { count })
      : say('importance.hint', {
          pearson: valueText(pearson),
          spearman: spearman === null ? '—' : valueText(spearman),
          count,
        });
  return (
    <li>
      <button
        type="button"
        aria-pressed={chosen}
        data-parameter={name}
        title={`${name}\n${hint}`}
        onClick={() => board.parameter.set(name)}
      >
        <span class="name">{board.columns.all.value.get(name)?.title ?? title}</span>
        {pearson === null ? (
          <span class="reason">{say(`reason.${reason ?? 'too_few'}`, { count })}</span>
        ) : (
          <>
            <span class="bar" aria-hidden="true">
              <span class={pearson < 0 ? 'negative' : 'positive'} style={{ width: `${Math.abs(pearson) * 100}%` }} />
            </span>
            <span class="number" data-part="pearson">
              {coefficientText(pearson)}
            </span>
            <span class="number faint" data-part="spearman">
              {spearman === null ? '' : coefficientText(spearman)}
            </span>
            <span class="count" data-part="count">
              {say('importance.count', { count })}
            </span>
          </>
        )}
      </button>
    </li>
  );
}

function coefficientText(value: number): string {
  const text = Math.abs(value).toFixed(2);
  return value < 0 && Number(text) > 0 ? `−${text}` : text;
}
