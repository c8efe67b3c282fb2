/** A baseline for the profile in front: another one of its run, or of a run next to it. */
import { useAnswer } from '@insight-host/kit/lab';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ProfilerParts } from './board';
import type { ProfileAnswer, ProfileInfo } from './answers/profile';
import { keyOf, same } from './profiles';
import { inUnit, unitOf, unitSign } from './units';
import { asking } from './use_answer';
import { profileName } from './words';

const READ_UNASKED = 64e6; // bytes of a baseline that is read before the user asks for it
const SAME = 0.005; // of the time: a smaller change is said to be none

/** What runs next to each other have in common: their directory, or at the top the word that their names begin with. */
const familyOf = (run: string): string =>
  run.includes('/') ? run.slice(0, run.lastIndexOf('/') + 1) : (/^\p{L}+/u.exec(run)?.[0] ?? run);

/** The one written last before a profile, else the first one after it: of its run, else of runs next to that. */
export function baselineOf(own: ProfileInfo, listing: readonly ProfileInfo[]): ProfileInfo | null {
  const alike = listing.filter(({ rank, source }) => rank === own.rank && source === own.source);
  const others = alike.filter((one) => !same(one, own));
  const ofRun = others.filter(({ run }) => run === own.run);
  const near = ofRun.length > 0 ? ofRun : others.filter(({ run }) => familyOf(run) === familyOf(own.run));
  const before = near.filter(({ wall_time: time }) => time <= own.wall_time); // the newest first
  return before[0] ?? near.at(-1) ?? null;
}

/** `vs before: 133.9 → 36.5 ms, −73 %`; a press compares the two, whichever was recorded first as the baseline. */
export function Suggested({ board }: { readonly board: ProfilerParts }): JSX.Element | null {
  const { t: say } = board.page;
  const { listing, chosenInfo, profile: front, base } = board.profiles;
  const own = chosenInfo.value;
  const other = own && board.navigation.views.value.includes('compare') ? baselineOf(own, listing.value ?? []) : null;
  const isWanted = other !== null && front.value?.complete === true && other.bytes <= READ_UNASKED;
  const asked = useAnswer<ProfileAnswer>(
    isWanted ? JSON.stringify([other.run, other.profile, other.wall_time]) : null,
    (signal) => board.profiles.ask(other as ProfileInfo, signal),
    { ...asking(board), poll: ({ state }) => state === 'reading' },
  );
  const { value: answer } = asked;
  useEffect(() => {
    if (answer) board.profiles.keep(answer);
  }, [answer]);
  if (!own || !other || (board.navigation.view.value === 'compare' && base.value !== null)) return null;
  // names alone do not say that files are of the ranks of one job
  if (isWanted ? !answer || (answer.rank ?? -1) !== (front.value?.rank ?? -1) : (front.value?.world_size ?? 1) > 1)
    return null;
  const isFirst = startOf(front.value, own) < startOf(same(answer, other) ? answer : null, other);
  const [before, after] = isFirst ? [own, other] : [other, own];
  const compare = (): void => {
    if (isFirst) board.navigation.open(other);
    board.navigation.compareWith(before);
  };
  return (
    <button
      type="button"
      class="suggested"
      data-action="compare-suggested"
      data-base={other.profile}
      title={say('compare.title')}
      onClick={compare}
    >
      {say('compare.suggested', { name: other.run === own.run ? profileName(other) : board.page.nameOf(other.run) })}
      <ChangeText board={board} before={before} after={after} />
    </button>
  );
}

/** When a profile began, ms since 1970; when it was written, where the log does not say. */
function startOf(answer: ProfileAnswer | null, { wall_time: time }: ProfileInfo): number {
  return answer?.start_ns ? Number(BigInt(answer.start_ns) / 1_000_000n) : time * 1000;
}

interface ChangeProps {
  readonly board: ProfilerParts;
  readonly before: ProfileInfo;
  readonly after: ProfileInfo;
}

function ChangeText({ board, before, after }: ChangeProps): JSX.Element | null {
  const locale = board.page.locale.value;
  const times = board.profiles.stepTimes.value;
  const [first, last] = [before, after].map((one) => times.get(keyOf(one)));
  if (!first || !last) return null;
  const unit = unitOf(Math.max(first, last));
  const text = (ns: number): string => inUnit(ns, unit).toLocaleString(locale, { maximumSignificantDigits: 3 });
  const change = last / first - 1;
  const percent = (100 * Math.abs(change)).toLocaleString(locale, { maximumSignificantDigits: 2 });
  const sign = Math.abs(change) < SAME ? '±' : change < 0 ? '−' : '+';
  return (
    <span class="number">
      : {text(first)} → {text(last)} {unitSign(unit)},{' '}
      <b class={sign === '+' ? 'slower' : sign === '−' ? 'faster' : ''}>
        {sign}
        {sign === '±' ? 0 : percent} %
      </b>
    </span>
  );
}
