import { Button, Choice } from '@insight-host/kit';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import { GROUPINGS } from '../settings';
import type { CompareAnswer } from '../answers/operators';
import type { ProfileInfo } from '../answers/profile';
import type { StepSummary } from '../answers/steps';
import { ServerTable, valueOf } from '../table/server_table';
import { shareText, timeCell, timeText, type TimeUnit } from '../units';
import type { ViewProps } from '../views';
import { profileName, rankText, word } from '../words';
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
  return <Differences key={`${base.run}\n${base.profile}`} board={board} base={base} />;
}

function Differences({ board, base }: ViewProps & { readonly base: ProfileInfo }): JSX.Element {
  const { t: say } = board.page;
  const by = board.by.value;
  const { value: per } = board.per;
  const highest = useSignal({ of: '', value: 0 });
  const listed = [by, per, board.side.value].join();
  return (
    <ServerTable<CompareAnswer>
      board={board}
      name="compare"
      label={say('view.compare')}
      route="compare"
      query={{ base_run: base.run, base_profile: base.profile, by, per, side: board.side.value || null }}
      settings={board.comparison}
      sort="-change"
      order={by === 'type' ? ['type', ...ORDER] : by === 'scope' ? ['scope', ...ORDER] : ORDER}
      hidden={['change', 'share']}
      widths={{ difference: 230, type: by === 'type' ? 220 : 150 }}
      status={(answer) =>
        [
          say('rows.shown', { shown: answer.total, count: answer.of }),
          say('compare.new', { count: answer.new }),
          say('compare.gone', { count: answer.gone }),
        ].join(' · ')
      }
      tools={
        <>
          <Choice
            say={say}
            name="by"
            label={say('operators.by')}
            words="operators.by"
            values={GROUPINGS}
            setting={{ value: by, set: board.by.set }}
            how="push"
          />
          <Choice
            say={say}
            name="per"
            label={say('compare.per')}
            words="compare.per"
            values={['total', 'step', 'call']}
            setting={{ value: per, set: board.per.set }}
            how="push"
          />
          <Sides board={board} />
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
      above={(answer) => <Head board={board} base={base} answer={answer} />}
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

interface HeadProps {
  readonly board: ProfilerParts;
  readonly base: ProfileInfo;
  readonly answer: CompareAnswer;
}

/** Which two, and their steps. */
function Head({ board, base, answer }: HeadProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: own } = board.profiles.chosenInfo;
  const median = (steps: StepSummary | null): string =>
    steps
      ? say('compare.median', { median: timeText(steps.p50, locale), count: steps.count })
      : say('compare.no_steps');
  const [before, after] = [answer.base_steps?.p50 ?? null, answer.steps?.p50 ?? null];
  const change = before !== null && after !== null && before > 0 ? after / before - 1 : null;
  return (
    <div class="compared" data-testid="compared">
      <Side board={board} label={say('compare.base')} profile={base} text={median(answer.base_steps)} />
      <Button action="swap" text="⇄" label={say('compare.swap')} onPress={() => board.navigation.swap()} />
      {own && <Side board={board} label={say('compare.own')} profile={own} text={median(answer.steps)} />}
      {change !== null && (
        <strong class={change > 0 ? 'slower' : 'faster'}>
          {say(change > 0 ? 'compare.slower' : 'compare.faster', { share: shareText(Math.abs(change), locale) })}
        </strong>
      )}
      <span class="spring" />
      <Button
        action="pick-base"
        icon="compare"
        text={say('compare.other')}
        label={say('compare.title')}
        onPress={() => (board.dialog.value = 'base')}
      />
    </div>
  );
}

function Side({
  board,
  label,
  profile,
  text,
}: {
  readonly board: ProfilerParts;
  readonly label: string;
  readonly profile: ProfileInfo;
  readonly text: string;
}): JSX.Element {
  const run = board.page.runsByName.value.get(profile.run);
  return (
    <span class="side" data-hover-run={profile.run} title={`${profile.run}\n${profile.profile}`}>
      <span class="label">{label}</span>
      <span class="dot" style={{ background: run?.color ?? 'transparent' }} />
      <span class="name">
        {[
          board.page.nameOf(profile.run),
          profileName(profile),
          word(board, 'source', profile.source),
          rankText(board, profile.rank),
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span class="note">{text}</span>
    </span>
  );
}
