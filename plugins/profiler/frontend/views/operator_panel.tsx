import { batch } from '@preact/signals';
import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { OPERATOR_KEYS, type Grouping } from '../settings';
import type { OperatorAnswer } from '../answers/operators';
import type { Cell, Row, TableAnswer } from '../answers/table';
import { Columns, type StackedColumn } from '../figures/columns';
import { Figure } from '../figures/figure';
import { inkOf } from '../figures/ink';
import { SmallHistogram } from '../figures/small_histogram';
import { namesApart } from '../names_apart';
import { holds } from '../steps';
import { valueOf } from '../table/server_table';
import { valueWithUnit } from '../table/cells';
import { countText, shareText, timeText } from '../units';
import { useProfileAnswer } from '../use_answer';
import { word } from '../words';
import { Answered } from './state';

const TEXTS = ['name', 'type', 'scope', 'shapes', 'information'];
const MEMBERS = 30;

interface OperatorPanelProps {
  readonly board: ProfilerParts;
  readonly by: Grouping;
  /** Parts of its key, in the order of OPERATOR_KEYS. */
  readonly opened: readonly string[];
  readonly query: Readonly<Record<string, string | null>>;
}

/** Everything about one operator, next to the table. */
export function OperatorPanel({ board, by, opened, query }: OperatorPanelProps): JSX.Element {
  const { t: say } = board.page;
  const key = Object.fromEntries(OPERATOR_KEYS.map((name, i) => [name, opened[i] || null]));
  const asked = useProfileAnswer<OperatorAnswer>(board, 'operator', { ...query, ...key, by });
  const title = opened.find(Boolean) ?? '—';
  return (
    <aside class={asked.busy ? 'panel busy' : 'panel'} aria-label={title} data-testid="operator-panel">
      <header>
        <h3 title={title}>{title}</h3>
        <Button action="close-panel" icon="close" label={say('panel.close')} onPress={() => board.opened.set([])} />
      </header>
      <Answered board={board} asked={asked}>
        {(answer) => (
          <>
            <Facts board={board} answer={answer} />
            {answer.histogram && <Durations board={board} histogram={answer.histogram} />}
            {answer.by_step && answer.by_step.number.length > 0 && <BySteps board={board} bySteps={answer.by_step} />}
            {answer.members && answer.members.rows.length > 0 && (
              <Members board={board} by={by} members={answer.members} />
            )}
            {answer.slices.length > 0 && <Longest board={board} answer={answer} />}
          </>
        )}
      </Answered>
    </aside>
  );
}

interface AnswerProps {
  readonly board: ProfilerParts;
  readonly answer: OperatorAnswer;
}

function Facts({ board, answer: { row, columns } }: AnswerProps): JSX.Element {
  const locale = board.page.locale.value;
  return (
    <dl class="row-facts">
      {columns
        .filter(({ name }) => row[name] !== null && row[name] !== undefined && row[name] !== '')
        .map(({ name, unit }) => (
          <div key={name} class={TEXTS.includes(name) ? 'long' : ''} data-fact={name}>
            <dt>{word(board, 'column', name)}</dt>
            <dd>
              {name === 'information' ? (
                <Information text={String(row[name])} />
              ) : (
                valueWithUnit(row[name] as Cell, unit, locale)
              )}
            </dd>
          </div>
        ))}
    </dl>
  );
}

/** JSON as lines, anything else as it is. */
function Information({ text }: { readonly text: string }): JSX.Element {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 1).replace(/^[{[]\n|\n[}\]]$/g, '');
  } catch {
    // a text of its own
  }
  return <pre>{shown}</pre>;
}

function Durations({
  board,
  histogram,
}: {
  readonly board: ProfilerParts;
  readonly histogram: NonNullable<OperatorAnswer['histogram']>;
}): JSX.Element {
  const { t: say } = board.page;
  const { edges, counts } = histogram;
  return (
    <Figure
      board={board}
      name="durations"
      title={say('panel.durations')}
      hint={say('panel.durations.hint')}
      data={() => ({
        head: ['from_ns', 'to_ns', 'calls'],
        rows: counts.map((count, i) => [edges[i] ?? null, edges[i + 1] ?? null, count]),
      })}
    >
      <SmallHistogram board={board} edges={edges} counts={counts} label={say('panel.durations')} />
    </Figure>
  );
}

function BySteps({
  board,
  bySteps,
}: {
  readonly board: ProfilerParts;
  readonly bySteps: NonNullable<OperatorAnswer['by_step']>;
}): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const ink = inkOf(board.page.theme.value);
  const every = Math.max(1, Math.ceil(bySteps.number.length / 200));
  const places = bySteps.number.map((_, i) => i).filter((i) => i % every === 0);
  const columns = places.map((i): StackedColumn => ({
    label: String(bySteps.number[i]),
    parts: [bySteps.total[i] ?? 0],
    isChosen: holds(board.steps.value, bySteps.number[i] ?? -1),
  }));
  return (
    <Figure
      board={board}
      name="by-step"
      title={say('panel.by_step')}
      data={() => ({
        head: ['step', 'total_ns', 'calls'],
        rows: bySteps.number.map((number, i) => [number, bySteps.total[i] ?? null, bySteps.calls[i] ?? null]),
      })}
    >
      <Columns
        board={board}
        columns={columns}
        layers={[{ key: 'total', color: ink.accent, label: say('column.total') }]}
        label={say('panel.by_step')}
        xLabel={say('step')}
        height={150}
        tip={(at) => {
          const i = places[at] ?? 0;
          return {
            title: `${say('step')} ${bySteps.number[i]}`,
            lines: [
              [say('column.total'), timeText(bySteps.total[i] ?? 0, locale)],
              [say('column.calls'), countText(bySteps.calls[i] ?? 0, locale)],
            ],
          };
        }}
        onPress={(at, extend) => board.navigation.chooseStep(bySteps.number[places[at] ?? 0] ?? 0, extend)}
      />
    </Figure>
  );
}

interface MembersProps {
  readonly board: ProfilerParts;
  readonly by: Grouping;
  readonly members: TableAnswer;
}

/** What belongs to it: operators of a type or scope, shapes of an operator. */
function Members({ board, by, members }: MembersProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const text = (row: Row, name: string): string => String(valueOf(members, row, name) ?? '');
  const finer: Grouping = by === 'name' ? 'shape' : 'name';
  const shown = members.rows.slice(0, MEMBERS);
  const names = namesApart(shown.map((row) => ({ name: text(row, 'name'), scope: text(row, 'scope') })));
  return (
    <section class="figure">
      <header>
        <h3>{say(finer === 'shape' ? 'panel.shapes' : 'panel.members')}</h3>
      </header>
      <ol class="bars">
        {shown.map((row, i) => {
          const share = valueOf(members, row, 'share');
          const time = valueOf(members, row, 'self') ?? valueOf(members, row, 'total');
          const label = finer === 'shape' ? text(row, 'shapes') || '—' : names[i];
          return (
            <li key={i}>
              <button
                type="button"
                title={[text(row, 'scope'), text(row, 'name'), text(row, 'shapes')].filter(Boolean).join('\n')}
                onClick={() =>
                  batch(() => {
                    board.by.set(finer, 'push');
                    board.opened.set(
                      OPERATOR_KEYS.map((name) => (finer === 'name' && name === 'shapes' ? '' : text(row, name))),
                    );
                  })
                }
              >
                <span class="name">{label}</span>
                <span class="number">{typeof time === 'number' ? timeText(time, locale) : ''}</span>
                <span class="number share">{typeof share === 'number' ? shareText(share, locale) : ''}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {members.total > MEMBERS && <p class="hint">{say('panel.more', { count: members.total - MEMBERS })}</p>}
    </section>
  );
}

function Longest({ board, answer: { slices } }: AnswerProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const leads = board.profiles.profile.value?.views.includes('timeline') === true;
  return (
    <section class="figure">
      <header>
        <h3>{say('panel.longest')}</h3>
      </header>
      <ol class="bars">
        {slices.map(({ id, start, duration, step }) => (
          <li key={id}>
            <button
              type="button"
              disabled={!leads}
              title={leads ? say('panel.longest.hint') : ''}
              onClick={() => board.navigation.openSlice(id)}
            >
              <span class="name">
                {step === null
                  ? say('panel.at', { time: timeText(start, locale) })
                  : say('panel.at_step', { time: timeText(start, locale), step: String(step) })}
              </span>
              <span class="number">{timeText(duration, locale)}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
