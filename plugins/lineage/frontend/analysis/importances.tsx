import { TableButton, valueText } from '@insight-host/kit';
import { namesApart } from '@insight-host/kit/draw';
import type { JSX } from 'preact';
import type { ImportanceAnswer, Interaction, Parameter, Share } from '../answers';
import type { LineageParts } from '../board';
import { importanceTable } from '../chart_tables';
import { bestText, coefficientText, percent, refusalOf, titleOf } from './importance_texts';

const NAME = { width: 106, size: 14 } as const; // pixels, as lineage.css has them; some letters are wide

interface ImportancesProps {
  readonly board: LineageParts;
  readonly answer: ImportanceAnswer;
  /** The parameter that is plotted. */
  readonly chosen: string | null;
}

/** Which parameters explain the target, and how much; where that is not known, how they correlate with it. */
export function Importances({ board, answer, chosen }: ImportancesProps): JSX.Element {
  const { t: say } = board.page;
  const { parameters, explained } = answer;
  const titles = namesApart(
    parameters.map(({ name }) => titleOf(board, name)),
    NAME.width,
    NAME.size,
  );
  return (
    <section class="importances">
      <h4 data-testid="importance-runs">
        {say(explained ? 'importance' : 'correlation')}
        {parameters.length > 0 && (
          <TableButton
            page={board.page}
            name={`${answer.target} importance`}
            title={say('importance')}
            data={() => importanceTable(board, parameters)}
            load={() => import('@insight-host/kit/table')}
          />
        )}
      </h4>
      <Summary board={board} answer={answer} />
      <ul class="importance" data-testid="importance" aria-label={say('importance')}>
        {parameters.map((parameter, at) => (
          <Row
            key={parameter.name}
            title={titles[at] ?? parameter.name}
            board={board}
            parameter={parameter}
            answer={answer}
            chosen={parameter.name === chosen}
          />
        ))}
      </ul>
      <Together board={board} answer={answer} />
    </section>
  );
}

/** What all parameters explain, of how many runs, and what to know of it. */
function Summary({ board, answer }: { readonly board: LineageParts; readonly answer: ImportanceAnswer }): JSX.Element {
  const { t: say } = board.page;
  const { explained, sure, used, matched, reason, fewest, clipped, log } = answer;
  const { whole } = board.rows.conditions.value;
  const first = explained
    ? say(sure ? 'importance.explained' : 'importance.nothing', { share: percent(board, explained.share), count: used })
    : reason && say(`importance.${reason}`, { count: used, fewest });
  return (
    <p class={explained && !sure ? 'hint weak' : 'hint'} data-testid="importance-summary">
      {first}
      {used < matched && ` ${say('importance.without', { count: matched - used })}`}
      {explained && ` ${say('importance.together')}`}
      {explained && log && ` ${say('importance.log')}`}
      {explained && clipped > 0 && ` ${say('importance.clipped', { count: clipped })}`}
      {!whole && ` ${say('importance.hidden')}`}
    </p>
  );
}

interface RowProps {
  readonly board: LineageParts;
  readonly parameter: Parameter;
  readonly answer: ImportanceAnswer;
  readonly chosen: boolean;
  /** As much of its title as fits. */
  readonly title: string;
}

function Row({ board, parameter, answer, chosen, title }: RowProps): JSX.Element {
  const { t: say } = board.page;
  const { name, importance, sure } = parameter;
  const best = bestOf(board, parameter, answer);
  const reason = refusalOf(board, parameter, answer);
  return (
    <li>
      <button
        type="button"
        class={sure || !importance ? undefined : 'unsure'}
        aria-pressed={chosen}
        data-parameter={name}
        title={`${name}\n${hintOf(board, parameter, answer)}`}
        onClick={() => board.parameter.set(name)}
      >
        <span class="name">{title}</span>
        {reason !== null ? (
          <span class="reason">{reason}</span>
        ) : importance ? (
          <>
            <ShareBar board={board} share={importance} />
            {parameter.count < answer.used && (
              <span class="count" data-part="count">
                {say('importance.count', { count: parameter.count })}
              </span>
            )}
          </>
        ) : (
          <CorrelationBar board={board} parameter={parameter} />
        )}
        {best && (
          <span class="best" data-part="best">
            {best}
          </span>
        )}
        {importance && parameter.related[0] && (
          <span class="best" data-part="related">
            {say('importance.related', relation(board, parameter.related[0]))}
          </span>
        )}
      </button>
    </li>
  );
}

function ShareBar({ board, share }: { readonly board: LineageParts; readonly share: Share }): JSX.Element {
  const { low, high } = share;
  return (
    <>
      <span class="bar" aria-hidden="true">
        <span class="positive" style={{ width: width(share.share) }} />
        <span class="interval" style={{ left: width(low), width: `calc(${width(high)} - ${width(low)})` }} />
      </span>
      <span class="number" data-part="share">
        {percent(board, share.share)}
      </span>
    </>
  );
}

function CorrelationBar({
  board,
  parameter: { correlation },
}: {
  readonly board: LineageParts;
  readonly parameter: Parameter;
}): JSX.Element {
  const pearson = correlation.pearson ?? 0;
  return (
    <>
      <span class="bar" aria-hidden="true">
        <span class={pearson < 0 ? 'negative' : 'positive'} style={{ width: width(Math.abs(pearson)) }} />
      </span>
      <span class="number" data-part="pearson">
        {coefficientText(pearson)}
      </span>
      <span class="count" data-part="count">
        {board.page.t('importance.count', { count: correlation.count })}
      </span>
    </>
  );
}

/** Pairs of parameters that act together. */
function Together({
  board,
  answer: { interactions },
}: {
  readonly board: LineageParts;
  readonly answer: ImportanceAnswer;
}): JSX.Element | null {
  const { t: say } = board.page;
  if (interactions.length === 0) return null;
  return (
    <>
      <h4>{say('interaction')}</h4>
      <ul class="importance" data-testid="interactions" aria-label={say('interaction')}>
        {interactions.map((pair) => (
          <li key={pair.parameters.join(' ')} class="pair" title={say('interaction.hint')}>
            <span class="name">{pair.parameters.map((name) => titleOf(board, name)).join(' × ')}</span>
            <ShareBar board={board} share={pair} />
            {pair.best.some((best) => best) && (
              <span class="best" data-part="best">
                {say('importance.best', { values: bestTogether(board, pair) })}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The best values of a parameter, or what they depend on; empty where they are not known. */
function bestOf(board: LineageParts, { name, best, sure }: Parameter, { interactions }: ImportanceAnswer): string {
  const { t: say } = board.page;
  if (best) return say('importance.best', { values: bestText(board, name, best) });
  const others = interactions.flatMap(({ parameters: [one, other] }) =>
    one === name ? [titleOf(board, other)] : other === name ? [titleOf(board, one)] : [],
  );
  return sure && others.length > 0 ? say('importance.depends', { names: others.join(say('list.separator')) }) : '';
}

/** Which values of two parameters are best together. */
function bestTogether(board: LineageParts, { parameters, best }: Interaction): string {
  return parameters
    .map((name, at) => `${titleOf(board, name)} ${bestText(board, name, best[at] ?? null) || '—'}`)
    .join(board.page.t('list.separator'));
}

function hintOf(board: LineageParts, parameter: Parameter, answer: ImportanceAnswer): string {
  const { t: say } = board.page;
  const { importance, alone, sure, together, calibrated, related, correlation } = parameter;
  const refusal = refusalOf(board, parameter, answer);
  if (refusal !== null) return refusal;
  const lines = [];
  if (importance && alone) {
    const { low, high } = importance;
    lines.push(
      say(calibrated ? 'importance.hint' : 'importance.hint.rough', {
        share: percent(board, importance.share),
        low: percent(board, low),
        high: percent(board, high),
        alone: percent(board, alone.share),
      }),
    );
    if (!sure) lines.push(say('importance.unsure'));
    else if (together) lines.push(say('importance.acts_together'));
    lines.push(...related.map((one) => say('importance.related.hint', relation(board, one))));
    const unset = answer.used - parameter.count;
    if (unset > 0) lines.push(say('importance.unset', { count: unset, runs: answer.used }));
  }
  if (correlation.pearson !== null)
    lines.push(
      say('correlation.hint', {
        pearson: valueText(correlation.pearson),
        spearman: correlation.spearman === null ? '—' : valueText(correlation.spearman),
        count: correlation.count,
      }),
    );
  return lines.join('\n');
}

const relation = (board: LineageParts, { name, r }: Parameter['related'][number]): { name: string; r: string } => ({
  name: titleOf(board, name),
  r: coefficientText(r),
});

const width = (share: number): string => `${(100 * Math.max(0, Math.min(1, share))).toFixed(2)}%`;
