import { Button } from '@insight-host/kit';
import type { JSX } from 'preact';
import type { ProfilerParts } from '../board';
import type { Compared, ComparedSteps } from '../answers/comparison';
import type { ProfileInfo } from '../answers/profile';
import { shareText, timeText } from '../units';
import { profileName, rankText, word } from '../words';

interface ComparedProps {
  readonly board: ProfilerParts;
  readonly base: ProfileInfo;
  readonly answer: Compared;
}

const SIDES = ['base', 'own'] as const;

/** Whether outlier steps of one of the two are left out. */
export const leavesOutliers = ({ steps, base_steps: base }: Compared): boolean =>
  (steps?.left_out ?? 0) + (base?.left_out ?? 0) > 0;

/** Which two, their steps, and what cannot be compared. */
export function ComparedProfiles({ board, base, answer }: ComparedProps): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { value: own } = board.profiles.chosenInfo;
  const median = (steps: ComparedSteps | null): string =>
    steps
      ? [
          steps.median === null
            ? say('compare.steps', { count: steps.count })
            : say('compare.median', { median: timeText(steps.median, locale), count: steps.count }),
          steps.left_out > 0 && say('compare.left_out', { count: steps.left_out }),
        ]
          .filter(Boolean)
          .join(' · ')
      : say('compare.no_steps');
  const [before, after] = [answer.base_steps?.median ?? null, answer.steps?.median ?? null];
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
      {SIDES.map((side) => {
        const limit = answer.limits[side];
        return (
          limit && (
            <p key={side} class="hint" role="note" data-limit={limit}>
              {say(`compare.limit.${limit}`, { side: say(`compare.${side}`) })}
            </p>
          )
        );
      })}
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
