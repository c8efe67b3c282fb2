/** At most four figures about a step, each with one definition: its time, and how it uses the device, else the host. */
import type { Locale } from '@insight-host/api';
import { Icon } from '@insight-host/kit';
import type { ComponentChildren, JSX } from 'preact';
import type { AdviceAnswer } from '../advice/texts';
import type { ProfilerParts } from '../board';
import { shortShare, timeText } from '../units';
import { categoryText } from '../words';
import type { OverviewAnswer } from './facts';

const OF_DEVICE = ['busy', 'late', 'of_peak'] as const;
const INSTEAD = ['waiting', 'otherwise'] as const; // of peak, where that is not known: why else the device is idle
const WORTH = 0.01; // a share below this is no figure
type DeviceFigure = (typeof OF_DEVICE)[number] | (typeof INSTEAD)[number];
const DEVICES: Readonly<Record<string, string>> = { gpu: 'GPU', npu: 'NPU', tpu: 'TPU' };
const NS = 1e6; // of a millisecond

interface Props {
  readonly board: ProfilerParts;
  readonly answer: OverviewAnswer;
  /** Null until it is there: the figures of a device wait for it. */
  readonly advice: AdviceAnswer | null;
}

/** The time of a step, then shares of it. */
export function KeyFigures({ board, answer, advice }: Props): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { steps } = answer;
  const hasDevice = (board.profiles.profile.value?.devices ?? []).length > 0;
  const isKnown = advice !== null && (advice.figures['busy'] !== undefined || !hasDevice || advice.rules.length > 0);
  return (
    <div class="key-figures" data-testid="key-figures">
      {steps ? (
        <Card
          name="step_time"
          label={say('overview.step_time')}
          value={timeText(steps.p50, locale)}
          hint={say('overview.spread', {
            mean: timeText(steps.mean, locale),
            p95: timeText(steps.p95, locale),
            low: timeText(steps.minimum, locale),
            high: timeText(steps.maximum, locale),
          })}
        >
          {advice?.unprofiled ? (
            <Unprofiled board={board} range={advice.unprofiled} />
          ) : (
            say('overview.between', {
              low: timeText(steps.minimum, locale),
              high: timeText(steps.maximum, locale),
            })
          )}
        </Card>
      ) : (
        answer.covered > 0 && (
          <Card name="whole" label={say('overview.duration')} value={timeText(answer.covered, locale)} hint="">
            {say('overview.no_steps')}
          </Card>
        )
      )}
      {advice?.figures['busy'] !== undefined ? (
        <OfDevice board={board} answer={answer} figures={advice.figures} />
      ) : isKnown || !hasDevice ? (
        <OfHost board={board} answer={answer} />
      ) : (
        OF_DEVICE.slice(0, 2).map((name) => (
          <Card key={name} name={name} label={labelOf(board, name)} value="…" hint={say(`use.${name}.hint`)}>
            {say('overview.being')}
          </Card>
        ))
      )}
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** What the figure means. */
  readonly hint: string;
  readonly children: ComponentChildren;
}

function Card({ name, label, value, hint, children }: CardProps): JSX.Element {
  return (
    <div class="key-figure" data-fact={name} title={hint}>
      {hint ? (
        <details class="label">
          <summary>
            {label} <Icon name="info" />
          </summary>
          {hint}
        </details>
      ) : (
        <span class="label">{label}</span>
      )}
      <strong class="value">{value}</strong>
      <span class="note">{children}</span>
    </div>
  );
}

function labelOf(board: ProfilerParts, name: DeviceFigure): string {
  const device = DEVICES[board.profiles.profile.value?.platform ?? ''] ?? board.page.t('overview.some_device');
  return board.page.t(`overview.${name}`, { device });
}

/** `12.9 of 133.9 ms`, of all steps: what the rules see is of all, whichever are chosen. */
function ofStep(board: ProfilerParts, { steps }: OverviewAnswer, share: number): string {
  if (!steps || board.steps.value) return board.page.t('overview.of_step');
  const locale = board.page.locale.value;
  return board.page.t('overview.of', { part: timeText(share * steps.p50, locale), whole: timeText(steps.p50, locale) });
}

/** That the share is of the time of these operators, and that of the whole step (MFU). */
function whileRunning(board: ProfilerParts, { utilization }: OverviewAnswer): ComponentChildren {
  const { t: say } = board.page;
  const share = utilization?.mfu ?? null;
  if (share === null) return say('overview.while_running');
  return (
    <>
      {say('overview.while_running')}
      {' · '}
      <span data-fact="mfu" title={say('roofline.mfu.hint')}>
        {say('overview.mfu', { share: shortShare(share, board.page.locale.value) })}
      </span>
    </>
  );
}

type OfDeviceProps = Omit<Props, 'advice'> & Pick<AdviceAnswer, 'figures'>;

/** Busy, and the largest parts of what is idle; or of peak for the last one. */
export function figuresOf(figures: AdviceAnswer['figures']): Readonly<Partial<Record<DeviceFigure, number>>> {
  const { busy, late, waiting, of_peak: peak } = figures;
  const idle: Partial<Record<(typeof INSTEAD)[number], number>> = {};
  if (waiting !== undefined) idle.waiting = waiting;
  if (busy !== undefined && late !== undefined) idle.otherwise = 1 - busy - late - (waiting ?? 0);
  const [name] = INSTEAD.filter((one) => (idle[one] ?? 0) >= WORTH).sort((a, b) => (idle[b] ?? 0) - (idle[a] ?? 0));
  return {
    ...(busy === undefined ? {} : { busy }),
    ...(late === undefined ? {} : { late }),
    ...(peak === undefined ? name && { [name]: idle[name] } : { of_peak: peak }),
  };
}

function OfDevice({ board, answer, figures }: OfDeviceProps): JSX.Element {
  const { t: say } = board.page;
  const shown = figuresOf(figures);
  return (
    <>
      {[...OF_DEVICE, ...INSTEAD].map((name) => {
        const share = shown[name];
        return share === undefined ? null : (
          <Card
            key={name}
            name={name}
            label={labelOf(board, name)}
            value={shortShare(share, board.page.locale.value)}
            hint={say(`use.${name}.hint`)}
          >
            {name === 'of_peak' ? whileRunning(board, answer) : ofStep(board, answer, share)}
          </Card>
        );
      })}
    </>
  );
}

/** Without work of a device that rules can see: what most of a step was spent on. */
function OfHost({ board, answer }: Omit<Props, 'advice'>): JSX.Element {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const most = answer.shares.filter(({ time, share }) => time > 0 && (share ?? 0) >= 0.005);
  return (
    <>
      {[...most]
        .sort((a, b) => b.time - a.time)
        .slice(0, OF_DEVICE.length)
        .map(({ category, time, share }) => (
          <Card
            key={category}
            name={category}
            label={sentence(categoryText(board, category), locale)}
            value={shortShare(share ?? 0, locale)}
            hint={say('overview.shares.hint')}
          >
            {answer.steps ? ofStep(board, answer, share ?? 0) : timeText(time, locale)}
          </Card>
        ))}
    </>
  );
}

const sentence = (text: string, locale: Locale): string => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);

/** An estimate has two digits. */
const roundText = (time: number, locale: Locale): string => timeText(Number(time.toPrecision(2)), locale);

/** The time of a step without the profiler: estimated, and a field for what was measured. */
function Unprofiled({ board, range }: { readonly board: ProfilerParts; readonly range: readonly [number, number] }) {
  const { t: say } = board.page;
  const locale = board.page.locale.value;
  const { measured } = board;
  const [low, high] = [roundText(range[0], locale), roundText(range[1], locale)];
  const isSameUnit = low.split(/\s/).at(-1) === high.split(/\s/).at(-1);
  return (
    <span class="unprofiled" data-fact="unprofiled" title={say('overview.unprofiled.hint')}>
      {say('overview.unprofiled', {
        time: low === high ? low : say('overview.range', { low: isSameUnit ? low.replace(/\s\S+$/, '') : low, high }),
      })}
      <label>
        {say('overview.measured')}{' '}
        <input
          type="number"
          min={0}
          step="any"
          data-control="measured"
          placeholder="—"
          value={measured.value > 0 ? measured.value / NS : ''}
          onChange={({ currentTarget: { value } }) => measured.set(Math.round(Math.max(0, Number(value)) * NS), 'push')}
        />{' '}
        ms
      </label>
    </span>
  );
}
