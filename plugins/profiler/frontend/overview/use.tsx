/** How a step uses the device, in the words that all views share, and how long it takes without the profiler. */
import type { Locale } from '@insight-host/api';
import type { JSX } from 'preact';
import type { AdviceAnswer } from '../advice/texts';
import type { ProfilerParts } from '../board';
import { shareText, timeText } from '../units';

const FIGURES = ['busy', 'late', 'of_peak'] as const;
const DEVICES: Readonly<Record<string, string>> = { gpu: 'GPU', npu: 'NPU', tpu: 'TPU' };
const NS = 1e6; // of a millisecond

interface Props {
  readonly board: ProfilerParts;
  readonly answer: AdviceAnswer;
}

/** Shares of a step, each with its definition as a hint. */
export function UseFacts({ board, answer }: Props): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const device = DEVICES[board.profiles.profile.value?.platform ?? ''] ?? say('overview.some_device');
  return (
    <>
      {answer.unprofiled && <Unprofiled board={board} range={answer.unprofiled} />}
      {FIGURES.map((name) => {
        const share = answer.figures[name];
        return share === undefined ? null : (
          <div key={name} class="fact" data-fact={name} title={say(`use.${name}.hint`)}>
            <span class="label">{say(`overview.${name}`, { device })}</span>
            <span class="value">{shareText(share, locale)}</span>
            <span class="note">{say(name === 'of_peak' ? 'overview.while_running' : 'overview.of_step')}</span>
          </div>
        );
      })}
    </>
  );
}

/** An estimate has two digits. */
const roundText = (time: number, locale: Locale): string => timeText(Number(time.toPrecision(2)), locale);

/** The time of a step without the profiler: estimated, and a field for what was measured. */
function Unprofiled({ board, range }: { readonly board: ProfilerParts; readonly range: readonly [number, number] }) {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { measured } = board;
  const [low, high] = [roundText(range[0], locale), roundText(range[1], locale)];
  return (
    <div class="fact unprofiled" data-fact="unprofiled" title={say('overview.unprofiled.hint')}>
      <span class="label">{say('overview.unprofiled')}</span>
      <span class="value">{low === high ? low : say('overview.range', { low, high })}</span>
      <label class="note">
        {say('overview.measured')}{' '}
        <input
          type="number"
          min={0}
          step="any"
          data-control="measured"
          value={measured.value > 0 ? measured.value / NS : ''}
          onChange={({ currentTarget: { value } }) => measured.set(Math.round(Math.max(0, Number(value)) * NS), 'push')}
        />{' '}
        ms
      </label>
    </div>
  );
}
