/** What is read of histograms: at the pointer, and in the last line of a card. */
import type { HistogramCursor, HistogramView } from './props';
import type { JSX } from 'preact';
import { type Page, exactAt, Tooltip, durationText, timeText, valueText, Icon } from '@insight-host/kit';
import { countsOf, percentilesOf, type Histograms, nonfinite } from './answer';

const PERCENTS = ['0 %', '6.7 %', '15.9 %', '30.9 %', '50 %', '69.1 %', '84.1 %', '93.3 %', '100 %'] as const;

export interface HistogramTooltipProps {
  readonly page: Page;
  readonly found: Histograms;
  readonly view: HistogramView;
  readonly cursor: HistogramCursor;
  readonly host: { readonly current: HTMLElement | null };
}

/** The tooltip: the row, the bin and its count, and statistics of the row. */
export function HistogramTooltip({ page, found, view, cursor, host }: HistogramTooltipProps): JSX.Element {
  const chart = host.current?.getBoundingClientRect();
  const { t: say } = page;
  const locale = page.locale.value;
  const { row, bin } = cursor;
  const run = found.runs[row];
  const bins = found.edges.length - 1;
  const counts = countsOf(found, row);
  const finite = counts.reduce((total, count) => total + count, found.beyond[row] ?? 0);
  const count = counts[bin] ?? 0;
  const wall = found.wallTimes[row] as number;
  const odd = (
    [
      ['NaN', found.nans[row]],
      ['+Inf', found.posInfs[row]],
      ['−Inf', found.negInfs[row]],
    ] as const
  ).filter(([, many]) => many);
  const beyond = found.beyond[row] ?? 0;
  const number = (value: number): string => (Number.isInteger(value) ? value.toLocaleString(locale) : valueText(value));
  const estimate = (value: number): string =>
    Number.isInteger(value) ? number(value) : `≈ ${number(Number(value.toPrecision(4)))}`;
  const lines: (readonly [string, string])[] =
    view === 'distributions'
      ? Array.from(
          percentilesOf(found, row),
          (value, i) => [PERCENTS[i] ?? '', Number.isNaN(value) ? '–' : valueText(value)] as const,
        ).reverse()
      : [
          [
            say('histogram.bin'),
            `[${valueText(found.edges[bin] as number)}, ` +
              `${valueText(found.edges[bin + 1] as number)}${bin + 1 < bins ? ')' : ']'}`,
          ],
          [
            say('histogram.count'),
            `${estimate(count)}${finite > 0 ? ` (${Number(((100 * count) / finite).toPrecision(3))} %)` : ''}`,
          ],
        ];
  const facts: (readonly [string, string])[] = [
    [say('histogram.total'), number(found.totals[row] as number)],
    ...(
      [
        ['min', found.mins],
        ['mean', found.means],
        ['max', found.maxs],
      ] as const
    ).flatMap(([name, column]) => {
      const value = column[row] as number;
      return Number.isNaN(value) || (view === 'distributions' && name !== 'mean')
        ? []
        : [[say(`histogram.${name}`), valueText(value)] as const];
    }),
  ];
  return (
    <Tooltip x={(chart?.left ?? 0) + cursor.px} y={(chart?.top ?? 0) + cursor.py} class="histogram-tooltip">
      <div class="tooltip-head">
        {run !== undefined && <i class="swatch" style={{ background: page.colorOf(run) }} />}
        {run !== undefined && <span class="run">{page.nameOf(run)}</span>}
        <strong>{say('time.step', { step: exactAt(found.steps, row).toLocaleString(locale) })}</strong>
        <span class="when">
          {Number.isNaN(found.origin)
            ? timeText(wall, locale)
            : `${durationText(wall - found.origin, locale, 4)} · ${timeText(wall, locale)}`}
        </span>
      </div>
      <dl class="bin">
        {lines.map(([name, text]) => (
          <Line key={name} name={name} text={text} />
        ))}
      </dl>
      <dl>
        {facts.map(([name, text]) => (
          <Line key={name} name={name} text={text} />
        ))}
        {beyond > 0 && <Line name={say('histogram.beyond')} text={estimate(beyond)} bad />}
        {odd.map(([name, many]) => (
          <Line key={name} name={name} text={number(many as number)} bad />
        ))}
      </dl>
    </Tooltip>
  );
}

function Line({
  name,
  text,
  bad = false,
}: {
  readonly name: string;
  readonly text: string;
  readonly bad?: boolean;
}): JSX.Element {
  return (
    <>
      <dt class={bad ? 'bad' : ''}>{name}</dt>
      <dd class={bad ? 'bad' : ''}>{text}</dd>
    </>
  );
}

export interface HistogramStatusProps {
  readonly page: Page;
  readonly found: Histograms | null;
  /** Why the latest question has no answer. */
  readonly failure: string | null;
  readonly onRetry: () => void;
  /** What is shown, when it is not steps of one series. */
  readonly text?: string;
}

/** The line below histograms: shown and total steps, non-finite values, unreadable records. */
export function HistogramStatus({ page, found, failure, onRetry, text }: HistogramStatusProps): JSX.Element {
  const { t: say } = page;
  if (failure) {
    return (
      <footer class="error">
        <Icon name="warn" />
        <span role="alert" title={failure}>
          {failure}
        </span>
        <button type="button" data-action="retry" onClick={onRetry}>
          {say('retry')}
        </button>
      </footer>
    );
  }
  if (!found) return <footer>{'\u00a0'}</footer>;
  const number = (n: number): string => n.toLocaleString(page.locale.value);
  const parts = text === undefined ? shownOf(page, found) : [text];
  const [nan, inf, negInf] = nonfinite(found);
  const odd = [nan && `${number(nan)} NaN`, inf && `${number(inf)} +Inf`, negInf && `${number(negInf)} −Inf`].filter(
    Boolean,
  );
  const beyond = found.beyond.reduce((total, count) => total + count, 0);
  const reasons = found.errors.map(page.reason);
  return (
    <footer data-testid="card-status">
      <span class="counts">{parts.join(' · ')}</span>
      {reasons.length > 0 && (
        <span class="problem" data-testid="histogram-errors" title={reasons.slice(0, 10).join('\n')}>
          {say('histogram.errors', { count: reasons.length })}
        </span>
      )}
      {beyond >= 0.5 && (
        <span class="beyond bad" title={say('histogram.beyond.hint')}>
          {say('histogram.beyond.count', { count: Math.round(beyond) })}
        </span>
      )}
      {odd.length > 0 && (
        <span class="nonfinite bad" title={say('histogram.nonfinite')}>
          {odd.join(say('list.separator'))}
        </span>
      )}
    </footer>
  );
}

function shownOf(page: Page, found: Histograms): string[] {
  const { t: say } = page;
  const number = (n: number): string => n.toLocaleString(page.locale.value);
  const parts = [
    found.shown < found.available
      ? say('histogram.shown', { shown: number(found.shown), available: number(found.available) })
      : say('histogram.shown.all', { count: found.available }),
  ];
  if (found.kept < found.points) parts.push(say('steps.kept', { kept: number(found.kept), count: found.points }));
  const { purged = 0 } = found;
  if (found.hidden > purged) parts.push(say('steps.hidden', { hidden: number(found.hidden - purged) }));
  if (purged > 0) parts.push(say('steps.purged', { purged: number(purged) }));
  return parts;
}
